import Documents
import Gateway
import LegacyTestSupport
import Testing

@testable import LegacyClient

@Suite("Pending documents of a 1.x push", .timeLimit(.minutes(5)))
struct PendingDocumentTests {
    @Test("Documents are pending until they are pushed, and again after a change; a pull has no pending documents")
    func pending() async throws {
        let fixture = try await ReplicationFixture()
        let push = try fixture.replication(.push)
        #expect(try await push.pendingDocumentIDs() == [])
        try await fixture.here.push(#"{"_id":"a","_rev":"1-a"}"#, #"{"_id":"b","_rev":"1-a"}"#)
        #expect(try await push.pendingDocumentIDs() == ["a", "b"])
        #expect(try await push.isDocumentPending("a"))
        #expect(try await !push.isDocumentPending("c"))
        push.start()
        await push.waitUntilStopped()
        #expect(try await push.pendingDocumentIDs() == [])
        try await fixture.here.push(#"{"_id":"b","_rev":"2-b","_deleted":true,"_revisions":{"start":2,"ids":["b","a"]}}"#)
        #expect(try await push.pendingDocumentIDs() == ["b"])
        #expect(try await !push.isDocumentPending("a"))
        // A replication that has not run reads the checkpoint.
        #expect(try await fixture.replication(.push).pendingDocumentIDs() == ["b"])
        let pull = try fixture.replication(.pull)
        #expect(try await pull.pendingDocumentIDs() == nil)
        #expect(try await !pull.isDocumentPending("b"))
        await fixture.there.close()
    }

    @Test("Pending documents honour filters and document IDs; an undefined filter is an error")
    func chosen() async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.here.push(
            #"{"_id":"a","_rev":"1-a","owner":"x"}"#, #"{"_id":"b","_rev":"1-a","owner":"y"}"#, #"{"_id":"c","_rev":"1-a","owner":"x"}"#)
        let push = try fixture.replication(.push)
        push.setFilter(named: "byOwner") { revision, parameters in revision["owner"] == parameters["name"] }
        push.filter = "byOwner"
        push.filterParams = ["name": .string("x")]
        #expect(try await push.pendingDocumentIDs() == ["a", "c"])
        push.documentIDs = ["a", "b"]
        #expect(try await push.pendingDocumentIDs() == ["a"])
        #expect(try await !push.isDocumentPending("c"))
        push.filter = "none"
        await #expect(throws: ReplicationError.self) { _ = try await push.pendingDocumentIDs() }
        await fixture.there.close()
    }

    @Test("A running continuous push has pending documents until they are pushed")
    func running() async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.here.push(#"{"_id":"a","_rev":"1-a"}"#)
        let push = try fixture.replication(.push)
        push.continuous = true
        push.start()
        await push.wait { $0.status == .idle }
        #expect(try await push.pendingDocumentIDs() == [])
        fixture.there.misbehave { entry, _ in entry.name.hasPrefix("POST _bulk_docs") ? .status(503, "later") : nil }
        try await fixture.here.push(#"{"_id":"b","_rev":"1-a"}"#)
        await push.wait { $0.lastError != nil }
        #expect(try await push.pendingDocumentIDs() == ["b"])
        #expect(push.failure == nil)
        push.stop()
        await push.waitUntilStopped()
        await fixture.there.close()
    }
}
