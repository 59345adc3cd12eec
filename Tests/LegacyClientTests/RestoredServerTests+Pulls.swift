import Coordination
import Documents
import Gateway
import LegacyTestSupport
import Testing

@testable import LegacyClient

/// Data that a server loses between the rows of a pull and its checkpoint.
extension RestoredServerTests {
    @Test(
        "A loss between a pull's rows and its checkpoint makes the pull restart at the previous position",
        arguments: ["Couchbase Sync Gateway/2.8.4 EE", "CouchDB/3.3.3 (Erlang OTP/24)"], [true, false])
    func lostBeforePulledCheckpoint(serverName: String, isFirst: Bool) async throws {
        let fixture = try await fixture(serverName)
        if !isFirst {
            try await write(["a"], to: fixture.there.bridge)
            try await fixture.run(.pull)
        }
        try await write(["b"], to: fixture.there.bridge)
        lose("b", whenSaved: 1, by: fixture)
        let error = try await fixture.run(.pull).lastError
        #expect(error?.code == .serverRestored)
        #expect(error?.message.contains("it lacks 1 of the revisions that its feed has just listed") == true)
        try await write(["c"], to: fixture.there.bridge)
        fixture.there.clearEntries()
        #expect(try await fixture.run(.pull).lastError == nil)
        let feeds = fixture.there.entries.filter { $0.path.contains("/_changes") }
        #expect(feeds.allSatisfy { $0.path.contains("since=") == !isFirst || $0.path.contains("since=0") }, "\(feeds.map(\.path))")
        #expect(try await Set(ReplicationFixture.contents(fixture.here).keys).isSuperset(of: ["b", "c"]))
        // The position differs from an unconfirmed one.
        fixture.there.clearEntries()
        #expect(try await fixture.run(.pull).lastError == nil)
        #expect(fixture.there.names.allSatisfy { $0.hasPrefix("GET _local") || $0.contains("_changes") }, "\(fixture.there.names)")
        await fixture.there.close()
    }

    @Test("A server was restored if its last sequence is lower than the position of a pull when the checkpoint is written")
    func lowerAtPulledCheckpoint() async throws {
        let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
        try await write(["a", "b"], to: fixture.there.bridge)
        let isLower = Lock(true)
        fixture.there.misbehave { entry, _ in
            guard entry.method == "GET", entry.path == "/db/", isLower.withLock({ $0 }) else { return nil }
            return .answer(200, #"{"db_name":"db","update_seq":5}"#, [:])
        }
        #expect(try await fixture.run(.pull).lastError?.code == .serverRestored)
        isLower.withLock { $0 = false }
        #expect(try await fixture.run(.pull).lastError == nil)
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    @Test(
        "A server that denies revisions of its own feed, or does not respond about them, restarts a pull at most once",
        arguments: [true, false])
    func denied(isRefused: Bool) async throws {
        let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
        try await write(["a"], to: fixture.there.bridge)
        fixture.there.misbehave { entry, _ in
            guard entry.name == "POST _revs_diff" else { return nil }
            return isRefused ? .status(403, "no") : .answer(200, #"{"a":{"missing":["1-a"]}}"#, [:])
        }
        let first = try await fixture.run(.pull).lastError?.code
        #expect(first == (isRefused ? nil : .serverRestored))
        #expect(try await fixture.run(.pull).lastError == nil)
        fixture.there.clearEntries()
        #expect(try await fixture.run(.pull).lastError == nil)
        #expect(fixture.there.names.count == 2, "\(fixture.there.names)")
        await fixture.there.close()
    }

    @Test(
        "A server that hides revisions of documents to which the login has lost access was not restored",
        arguments: ["removed\":[\"x\"]", "revoked\":true"])
    func hidden(loss: String) async throws {
        let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
        try await write(["a"], to: fixture.there.bridge)
        try await fixture.run(.pull)
        fixture.there.misbehave { entry, _ in
            if entry.name == "POST _changes" {
                return .answer(
                    200, #"{"results":[{"seq":1000000009,"id":"a","\#(loss),"changes":[{"rev":"1-a"}]}],"last_seq":1000000009}"#, [:])
            }
            if entry.method == "GET", entry.path == "/db/" { return .answer(200, #"{"db_name":"db","update_seq":1000000009}"#, [:]) }
            return entry.name == "POST _revs_diff" ? .answer(200, #"{"a":{"missing":["1-a"]}}"#, [:]) : nil
        }
        let pull = try await fixture.run(.pull)
        #expect(pull.lastError == nil && pull.change.restorations == 0)
        #expect(fixture.there.names.contains { $0.hasPrefix("PUT _local") })
        await fixture.there.close()
    }

    @Test("A pull that ended before it had confirmed the server's state continues at the previous position")
    func unconfirmedPull() async throws {
        let fixture = try await fixture("CouchDB/3.3.3 (Erlang OTP/24)")
        try await write(["a"], to: fixture.there.bridge)
        try await fixture.run(.pull)
        try await write(["b"], to: fixture.there.bridge)
        fixture.there.misbehave { entry, _ in entry.name == "POST _revs_diff" ? .status(503, "no") : nil }
        try await fixture.run(.pull)
        #expect(try await fixture.isEqual())
        fixture.there.misbehave { _, _ in nil }
        fixture.there.clearEntries()
        #expect(try await fixture.run(.pull).lastError == nil)
        #expect(fixture.there.names.contains("POST _revs_diff"), "\(fixture.there.names)")
        fixture.there.clearEntries()
        #expect(try await fixture.run(.pull).lastError == nil)
        #expect(fixture.there.names.count == 2, "\(fixture.there.names)")
        await fixture.there.close()
    }
}
