import Documents
import Gateway
import HTTP
import HTTPTypes
import Storage
import Testing

@testable import LegacyClient

/// Attachments that documents name and whose bytes nobody has, as old data has them.
@Suite("Attachments whose bytes are missing", .timeLimit(.minutes(5)))
struct MissingAttachmentTests {
    private static let missing = AttachmentDigest.sha1(of: [9])

    /// A document of generation 2 with an attachment that is there, one that is missing, and one that has no digest.
    private func write(to bridge: Bridge) async throws {
        let set = AttachmentSet([
            AttachmentMetadata(name: "here", digest: .sha1(of: [1]), length: 1, revpos: 1),
            AttachmentMetadata(name: "gone", digest: Self.missing, length: 1, revpos: 1),
            AttachmentMetadata(name: "nameless", length: 1, revpos: 1),
        ])
        let history = try ["2-bb", "1-aa"].map { try #require(RevisionID($0)) }
        var write = RevisionWrite(
            id: "d", kind: .replicated(history: history, conflicts: .branch), isDeleted: false, body: Array("{}".utf8), attachments: set,
            attachmentBytes: [.sha1(of: [1]): [1]])
        write.keepsMissingAttachments = true
        _ = try await bridge.database.unified.write(write)
    }

    private func bulkGet(_ bridge: Bridge, _ query: String, _ accept: String) async throws -> String {
        try await bridge.send(
            .post, "/db/_bulk_get?revs=true\(query)", headers: [.contentType: "application/json", .accept: accept],
            body: Array(#"{"docs":[{"id":"d","rev":"2-bb"}]}"#.utf8)
        ).text
    }

    @Test("A reader sees the stubs, and gets 404 for the bytes")
    func read() async throws {
        let bridge = try await Bridge()
        try await write(to: bridge)
        let entries = try await bridge.send(.get, "/db/d").json["_attachments"]
        #expect(entries?["gone"]?["digest"]?.string == Self.missing.description && entries?["gone"]?["stub"]?.bool == true)
        #expect(entries?["nameless"]?["stub"]?.bool == true)
        #expect(try await bridge.send(.get, "/db/d/gone").status == 404)
        #expect(try await bridge.send(.get, "/db/d/nameless").status == 404)
        #expect(try await bridge.send(.get, "/db/d/here").status == 200)
    }

    @Test("Couchbase Lite 1.x gets a stub of the revision's own generation, which it takes for one to be fetched later")
    func couchbaseLite() async throws {
        let bridge = try await Bridge()
        try await write(to: bridge)
        for text in [
            try await bulkGet(bridge, "&attachments=true", "multipart/mixed"),
            try await bridge.send(.get, "/db/d?rev=2-bb&revs=true&attachments=true", headers: [.accept: "multipart/related"]).text,
        ] {
            #expect(text.contains(#""gone":{"digest":"\#(Self.missing)","length":1,"revpos":2,"stub":true}"#), "\(text)")
            #expect(text.contains(#""here":{"data":"AQ==""#) && !text.contains("nameless"), "\(text)")
        }
    }

    @Test("Who would ask for each attachment, and stop at the first that is missing, is not told of them: PouchDB, CouchDB")
    func others() async throws {
        let bridge = try await Bridge()
        try await write(to: bridge)
        for text in [
            try await bulkGet(bridge, "&latest=true", "application/json"), try await bulkGet(bridge, "", "multipart/mixed"),
            try await bridge.send(.get, "/db/d?open_revs=all&revs=true", headers: [.accept: "multipart/mixed"]).text,
        ] {
            #expect(text.contains("here") && !text.contains("gone") && !text.contains("nameless"), "\(text)")
        }
    }

    @Test("A client's edit with the stub is taken; one with a stub of something else is not")
    func edited() async throws {
        let bridge = try await Bridge()
        try await write(to: bridge)
        func push(_ revision: String, _ digest: AttachmentDigest) async throws -> Int {
            let body =
                #"{"new_edits":false,"docs":[{"_id":"d","_rev":"3-\#(revision)","_revisions":{"start":3,"ids":["\#(revision)","bb","aa"]},"#
                + #""_attachments":{"gone":{"stub":true,"revpos":1,"length":1,"digest":"\#(digest)"}}}]}"#
            let answer = try await bridge.send(
                .post, "/db/_bulk_docs", headers: [.contentType: "application/json"], body: Array(body.utf8))
            return answer.text.contains("error") ? 0 : 1
        }
        #expect(try await push("cc", Self.missing) == 1)
        #expect(try await push("cd", .sha1(of: [8])) == 0)
        #expect(try await bridge.send(.get, "/db/d?rev=3-cc").json["_attachments"]?["gone"]?["stub"]?.bool == true)
    }

    @Test("A replicator that pulls takes the document with its stubs, and the bytes when they come")
    func pulled() async throws {
        let fixture = try await ReplicationFixture()
        try await write(to: fixture.there.bridge)
        let pull = try await fixture.run(.pull)
        #expect(pull.lastError == nil && pull.failedDocuments.isEmpty)
        let keyspace = fixture.here.database.unified
        #expect(try await keyspace.attachment(named: "here", of: "d", revision: .current).1.length == 1)
        await #expect(throws: GatewayError.self) { try await keyspace.attachment(named: "gone", of: "d", revision: .current) }
        let upload = keyspace.receiveAttachment()
        try await upload.append([9])
        _ = try await upload.finish()
        #expect(try await keyspace.attachment(named: "gone", of: "d", revision: .current).1.length == 1)
        await fixture.there.close()
    }
}
