import Documents
import Foundation
import Gateway
import HTTPTypes
import LegacyTestSupport
import Scripting
import Storage
import Testing

@testable import LegacyClient

@Suite("1.x replication with the bridge's listener", .timeLimit(.minutes(5)))
struct ReplicationTests {
    /// Documents of every kind: an update, a tombstone, a conflict, an odd ID, attachments small and large.
    static let samples = [
        #"{"_id":"a","_rev":"1-a","v":1}"#,
        #"{"_id":"b","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"v":2.50}"#,
        #"{"_id":"gone","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"_deleted":true}"#,
        #"{"_id":"fork","_rev":"2-x","_revisions":{"start":2,"ids":["x","a"]},"side":"x"}"#,
        #"{"_id":"fork","_rev":"2-y","_revisions":{"start":2,"ids":["y","a"]},"side":"y"}"#,
        #"{"_id":"fork","_rev":"3-z","_revisions":{"start":3,"ids":["z","q","a"]},"_deleted":true}"#,
        #"{"_id":"sl ash/+ü&?#%","_rev":"1-a","t":"\u00e9"}"#,
        #"{"_id":"att","_rev":"1-a","_attachments":{"small.txt":{"content_type":"text/plain","data":"aGk="},"big.bin":{"data":"\#(big)"}}}"#,
        #"{"_id":"two","_rev":"1-a","_attachments":{"x":{"data":"\#(big)"},"y":{"data":"aGkh"}}}"#,
    ]

    static let big = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }).base64EncodedString()

    private func push(_ documents: [String], to bridge: Bridge) async throws {
        for document in documents { try await bridge.push(document) }
    }

    private func many(_ count: Int, prefix: String = "doc") -> [String] {
        (0..<count).map { #"{"_id":"\#(prefix)-\#($0)","_rev":"1-abc","n":\#($0)}"# }
    }

    @Test("A push transfers every leaf, tombstone and attachment, and a second push transfers nothing")
    func push() async throws {
        let fixture = try await ReplicationFixture()
        try await push(Self.samples, to: fixture.here)
        let first = try await fixture.run(.push)
        #expect(first.lastError == nil && first.failedDocuments.isEmpty)
        #expect(first.completedChangesCount == Self.samples.count && first.changesCount == Self.samples.count)
        #expect(try await fixture.isEqual())
        // Large attachments are sent after their documents, everything else together.
        #expect(fixture.there.names.count { $0.hasPrefix("PUT") && !$0.contains("_local") } == 2)
        #expect(fixture.there.names.count { $0 == "POST _bulk_docs" } == 1)
        fixture.there.clearEntries()
        let second = try await fixture.run(.push)
        #expect(second.changesCount == 0)
        #expect(fixture.there.names.count == 1 && fixture.there.names[0].hasPrefix("GET _local/"))
        await fixture.there.close()
    }

    @Test("A pull transfers every leaf, tombstone and attachment, and a second pull transfers nothing")
    func pull() async throws {
        let fixture = try await ReplicationFixture()
        try await push(Self.samples, to: fixture.there.bridge)
        let first = try await fixture.run(.pull)
        #expect(first.lastError == nil && first.failedDocuments.isEmpty)
        #expect(first.completedChangesCount == first.changesCount && first.changesCount == Self.samples.count)
        #expect(try await fixture.isEqual())
        fixture.there.clearEntries()
        let second = try await fixture.run(.pull)
        #expect(second.changesCount == 0)
        #expect(fixture.there.names.sorted().map { $0.prefix(10) } == ["GET _local", "POST _chan"])
        #expect(fixture.there.entries.last?.path.contains("since=1000000") == true)
        await fixture.there.close()
    }

    @Test("Everything arrives without _bulk_get, POST _changes and multipart, as with CouchDB 1.x")
    func fallbacks() async throws {
        let fixture = try await ReplicationFixture(serverName: "CouchDB/1.6.1 (Erlang OTP/17)")
        fixture.there.misbehave { entry, _ in
            switch entry.name {
            case "POST _bulk_get", "POST _changes": .status(405, "method_not_allowed")
            default: entry.headers[.contentType]?.hasPrefix("multipart") == true ? .status(415, "bad_content_type") : nil
            }
        }
        try await push(Self.samples, to: fixture.there.bridge)
        #expect(try await fixture.run(.pull).lastError == nil)
        #expect(try await fixture.isEqual())
        try await fixture.here.push(
            #"{"_id":"more","_rev":"1-a","_attachments":{"big":{"data":"\#(Self.big)"}}}"#, #"{"_id":"more2","_rev":"1-a"}"#)
        let push = try await fixture.run(.push)
        #expect(push.lastError == nil && push.failedDocuments.isEmpty)
        #expect(try await fixture.isEqual())
        #expect(!fixture.there.entries.contains { $0.headers[.contentEncoding] != nil })
        await fixture.there.close()
    }

    @Test("Conflicting edits become the same branches on both sides, and nothing is sent back")
    func both() async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.here.push(#"{"_id":"a","_rev":"2-h","_revisions":{"start":2,"ids":["h","a"]},"at":"here"}"#)
        try await fixture.there.bridge.push(#"{"_id":"a","_rev":"2-t","_revisions":{"start":2,"ids":["t","a"]},"at":"there"}"#)
        try await push(Self.samples.filter { !$0.contains(#""_id":"a""#) }, to: fixture.there.bridge)
        #expect(try await fixture.run(.pull).lastError == nil)
        fixture.there.clearEntries()
        let push = try await fixture.run(.push)
        #expect(push.changesCount == 1)
        #expect(try await fixture.isEqual())
        #expect(try await ReplicationFixture.contents(fixture.here)["a"]?.count == 2)
        let pull = try await fixture.run(.pull)
        #expect(pull.completedChangesCount == pull.changesCount)
        #expect(!fixture.there.names.contains("POST _bulk_get"))
        await fixture.there.close()
    }

    @Test("Only attachments that the server lacks are sent, and only attachments that are missing here are fetched")
    func attachments() async throws {
        let fixture = try await ReplicationFixture()
        try await push(Self.samples, to: fixture.here)
        try await fixture.run(.push)
        let set = #"{"big.bin":{"stub":true,"revpos":1,"digest":"\#(try await digest(fixture.here))","length":300000}}"#
        try await fixture.here.push(#"{"_id":"att","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"_attachments":\#(set)}"#)
        fixture.there.clearEntries()
        #expect(try await fixture.run(.push).failedDocuments.isEmpty)
        #expect(fixture.there.names.count { $0 == "POST _bulk_docs" } == 1)
        #expect(!fixture.there.entries.contains { ($0.headers[.contentLength].flatMap { Int($0) } ?? 0) > 10_000 })
        #expect(try await fixture.isEqual())
        try await fixture.there.bridge.push(
            #"{"_id":"att","_rev":"3-c","_revisions":{"start":3,"ids":["c","b","a"]},"_attachments":\#(set)}"#)
        #expect(try await fixture.run(.pull).failedDocuments.isEmpty)
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    private func digest(_ bridge: Bridge) async throws -> AttachmentDigest {
        let (_, record) = try await bridge.database.unified.attachment(named: "big.bin", of: "att", revision: .current)
        return record.digest
    }

    @Test("A continuous pair is idle when it has caught up, transfers changes of either side, and saves its checkpoint when stopped")
    func continuous() async throws {
        let fixture = try await ReplicationFixture()
        try await push(many(150), to: fixture.there.bridge)
        let pull = try fixture.replication(.pull)
        let push = try fixture.replication(.push)
        for replication in [pull, push] {
            replication.continuous = true
            replication.start()
        }
        await pull.wait { $0.status == .idle }
        await push.wait { $0.status == .idle }
        #expect(try await fixture.isEqual())
        try await fixture.there.bridge.push(#"{"_id":"new-there","_rev":"1-a"}"#)
        try await fixture.here.push(#"{"_id":"new-here","_rev":"1-a"}"#)
        try await fixture.waitUntilEqual()
        for replication in [pull, push] {
            replication.stop()
            await replication.waitUntilStopped()
            #expect(replication.lastError == nil)
        }
        fixture.there.clearEntries()
        // The names of the checkpoints differ for continuous replications.
        for replication in [pull, push] {
            replication.restart()
            await replication.wait { $0.status == .idle }
            #expect(replication.changesCount <= 1)
            replication.stop()
            await replication.waitUntilStopped()
        }
        #expect(!fixture.there.names.contains { $0 == "POST _bulk_get" || $0 == "POST _bulk_docs" })
        await fixture.there.close()
    }

    @Test(
        "A continuous pull without a WebSocket uses longpoll, or CouchDB's continuous feed",
        arguments: ["CouchbaseLite 1.4", "CouchDB/3.3.3"])
    func otherFeeds(serverName: String) async throws {
        let fixture = try await ReplicationFixture(serverName: serverName)
        try await fixture.there.bridge.push(#"{"_id":"a","_rev":"1-a"}"#)
        let pull = try fixture.replication(.pull)
        pull.continuous = true
        pull.start()
        await pull.wait { $0.status == .idle }
        for number in 0..<5 {
            try await fixture.there.bridge.push(#"{"_id":"n\#(number)","_rev":"1-a"}"#)
            try await fixture.waitUntilEqual()
        }
        pull.stop()
        await pull.waitUntilStopped()
        let feed = serverName.hasPrefix("CouchDB") ? "feed=continuous" : "feed=longpoll"
        #expect(fixture.there.entries.contains { $0.path.contains(feed) })
        #expect(!fixture.there.entries.contains { $0.path.contains("feed=websocket") })
        await fixture.there.close()
    }

    @Test("Push filters, closures or JavaScript, run here by name and with parameters")
    func pushFilters() async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.here.push(
            #"{"_id":"w","_rev":"1-a","owner":"Waldo"}"#, #"{"_id":"x","_rev":"1-a","owner":"X"}"#, #"{"_id":"n","_rev":"1-a"}"#)
        try await fixture.run(.push) { push in
            push.filter = "byOwner"
            push.filterParams = ["name": .string("Waldo")]
            push.pushFilters = ["byOwner": PushFilter { $0["owner"] == $1["name"] }]
        }
        #expect(try await ReplicationFixture.contents(fixture.there.bridge).keys.sorted() == ["w"])
        try await fixture.run(.push) { push in
            push.filter = "byOwner"
            push.filterParams = ["name": .string("X")]
            push.pushFilters = [
                "byOwner": .javaScript(
                    "function (doc, req) { return doc.owner == req.query.name && doc._id == 'x' }", name: "byOwner", engine: ScriptEngine())
            ]
        }
        #expect(try await ReplicationFixture.contents(fixture.there.bridge).keys.sorted() == ["w", "x"])
        let unknown = try await fixture.run(.push) { $0.filter = "nobody" }
        #expect(unknown.lastError?.code == .callback)
        let broken = try await fixture.run(.push) { push in
            push.filter = "b"
            push.pushFilters = ["b": .javaScript("function () { throw 1 }", name: "b", engine: ScriptEngine())]
        }
        #expect(broken.lastError?.code == .callback)
        await fixture.there.close()
    }

    @Test("createTarget creates the database before the push, and an existing database is no error", arguments: [201, 412, 403])
    func createTarget(status: Int) async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.here.push(#"{"_id":"a","_rev":"1-a"}"#)
        fixture.there.misbehave { entry, _ in entry.name == "PUT " ? .status(status, "said of the database") : nil }
        let push = try await fixture.run(.push) { $0.createTarget = true }
        #expect(fixture.there.names.contains("PUT "))
        #expect(push.lastError?.code.rawValue == (status == 403 ? 403 : nil))
        #expect(try await fixture.isEqual() == (status != 403))
        fixture.there.clearEntries()
        try await fixture.run(.push)
        #expect(!fixture.there.names.contains("PUT "))
        await fixture.there.close()
    }

    @Test("Document IDs limit both directions")
    func documentIDs() async throws {
        let fixture = try await ReplicationFixture()
        try await push(many(20), to: fixture.there.bridge)
        try await push(many(20, prefix: "mine"), to: fixture.here)
        try await fixture.run(.pull) { $0.documentIDs = ["doc-3", "doc-7"] }
        #expect(try await ReplicationFixture.contents(fixture.here).keys.filter { $0.hasPrefix("doc") }.sorted() == ["doc-3", "doc-7"])
        try await fixture.run(.push) { $0.documentIDs = ["mine-1"] }
        #expect(try await ReplicationFixture.contents(fixture.there.bridge).keys.filter { $0.hasPrefix("mine") } == ["mine-1"])
        await fixture.there.close()
    }

    @Test("A replication continues from a checkpoint of Couchbase Lite 1.4")
    func takingOver() async throws {
        let fixture = try await ReplicationFixture()
        try await push(many(30), to: fixture.there.bridge)
        let change: (Replication) -> Void = { pull in
            pull.localUUID = "D1A4C40E-8F48-4F2C-9E0B-6B6D8B3A2C11"
            pull.checkpointStyle = .java
            pull.initialSequence = "1000000020"
        }
        var settings = ReplicationSettings()
        settings.localUUID = "D1A4C40E-8F48-4F2C-9E0B-6B6D8B3A2C11"
        settings.checkpointStyle = .java
        let id = LegacyCheckpointID(
            localUUID: "D1A4C40E-8F48-4F2C-9E0B-6B6D8B3A2C11", direction: .pull, settings: settings, remoteURL: fixture.there.url)
        _ = try await fixture.there.bridge.send(.put, "/db/_local/\(id.text)", json: #"{"lastSequence":"1000000020","kept":true}"#)
        let pull = try await fixture.run(.pull, change)
        #expect(pull.changesCount == 10)
        let kept = try await fixture.there.bridge.send(.get, "/db/_local/\(id.text)").json
        #expect(kept["lastSequence"] == .string("1000000030") && kept["kept"] == .bool(true))
        await fixture.there.close()
    }

    @Test("Many documents are transferred in both directions with overlapping requests")
    func manyDocuments() async throws {
        let fixture = try await ReplicationFixture()
        let documents = many(2_500)
        for start in stride(from: 0, to: documents.count, by: 500) {
            let body = documents[start..<min(start + 500, documents.count)].joined(separator: ",")
            _ = try await fixture.there.bridge.send(.post, "/db/_bulk_docs", json: "{\"new_edits\":false,\"docs\":[\(body)]}")
        }
        let pull = try await fixture.run(.pull)
        #expect(pull.completedChangesCount == 2_500 && pull.lastError == nil)
        let other = try await ReplicationFixture()
        let push = try Replication(.push, localDatabase: fixture.here.database.unified, remoteURL: other.there.url)
        push.start()
        await push.waitUntilStopped()
        #expect(push.completedChangesCount == 2_500 && push.lastError == nil)
        #expect(try await ReplicationFixture.contents(fixture.there.bridge) == ReplicationFixture.contents(other.there.bridge))
        await fixture.there.close()
        await other.there.close()
    }

    @Test("The last of several commands in quick succession counts")
    func quick() async throws {
        let fixture = try await ReplicationFixture()
        try await push(many(100), to: fixture.there.bridge)
        let pull = try fixture.replication(.pull)
        pull.continuous = true
        for _ in 0..<20 {
            pull.start()
            pull.restart()
            pull.stop()
            pull.start()
        }
        await pull.wait { $0.status == .idle && $0.lastError == nil }
        pull.stop()
        await pull.waitUntilStopped()
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }
}
