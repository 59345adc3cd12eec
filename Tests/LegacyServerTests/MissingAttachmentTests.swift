import Documents
import HTTP
import HTTPTypes
import LegacyTestSupport
import Testing

/// Attachments that documents name and whose bytes are not in the store, as in old data.
@Suite("Attachments whose bytes are missing", .timeLimit(.minutes(5)))
struct MissingAttachmentTests {
    private func bulkGet(_ bridge: Bridge, _ query: String, _ accept: String) async throws -> String {
        try await bridge.send(
            .post, "/db/_bulk_get?revs=true\(query)", headers: [.contentType: "application/json", .accept: accept],
            body: Array(#"{"docs":[{"id":"d","rev":"2-bb"}]}"#.utf8)
        ).text
    }

    @Test("A document has stubs of missing attachments, and their bytes are 404")
    func read() async throws {
        let bridge = try await Bridge()
        try await MissingAttachments.write(to: bridge)
        let entries = try await bridge.send(.get, "/db/d").json["_attachments"]
        #expect(entries?["gone"]?["digest"]?.string == MissingAttachments.digest.description && entries?["gone"]?["stub"]?.bool == true)
        #expect(entries?["nameless"]?["stub"]?.bool == true)
        #expect(try await bridge.send(.get, "/db/d/gone").status == 404)
        #expect(try await bridge.send(.get, "/db/d/nameless").status == 404)
        #expect(try await bridge.send(.get, "/db/d/here").status == 200)
    }

    @Test("Couchbase Lite 1.x gets a stub with the revision's own generation, which it treats as an attachment to fetch later")
    func couchbaseLite() async throws {
        let bridge = try await Bridge()
        try await MissingAttachments.write(to: bridge)
        for text in [
            try await bulkGet(bridge, "&attachments=true", "multipart/mixed"),
            try await bridge.send(.get, "/db/d?rev=2-bb&revs=true&attachments=true", headers: [.accept: "multipart/related"]).text,
        ] {
            #expect(text.contains(#""gone":{"digest":"\#(MissingAttachments.digest)","length":1,"revpos":2,"stub":true}"#), "\(text)")
            #expect(text.contains(#""here":{"data":"AQ==""#) && !text.contains("nameless"), "\(text)")
        }
    }

    @Test("PouchDB and CouchDB get no entry for a missing attachment, because they would ask for the bytes and stop at the first 404")
    func others() async throws {
        let bridge = try await Bridge()
        try await MissingAttachments.write(to: bridge)
        for text in [
            try await bulkGet(bridge, "&latest=true", "application/json"), try await bulkGet(bridge, "", "multipart/mixed"),
            try await bridge.send(.get, "/db/d?open_revs=all&revs=true", headers: [.accept: "multipart/mixed"]).text,
        ] {
            #expect(text.contains("here") && !text.contains("gone") && !text.contains("nameless"), "\(text)")
        }
    }

    @Test("An edit with the stub of a missing attachment is accepted; an edit with a stub of unknown bytes is refused")
    func edited() async throws {
        let bridge = try await Bridge()
        try await MissingAttachments.write(to: bridge)
        func push(_ revision: String, _ digest: AttachmentDigest) async throws -> Int {
            let body =
                #"{"new_edits":false,"docs":[{"_id":"d","_rev":"3-\#(revision)","_revisions":{"start":3,"ids":["\#(revision)","bb","aa"]},"#
                + #""_attachments":{"gone":{"stub":true,"revpos":1,"length":1,"digest":"\#(digest)"}}}]}"#
            let answer = try await bridge.send(
                .post, "/db/_bulk_docs", headers: [.contentType: "application/json"], body: Array(body.utf8))
            return answer.text.contains("error") ? 0 : 1
        }
        #expect(try await push("cc", MissingAttachments.digest) == 1)
        #expect(try await push("cd", .sha1(of: [8])) == 0)
        #expect(try await bridge.send(.get, "/db/d?rev=3-cc").json["_attachments"]?["gone"]?["stub"]?.bool == true)
    }
}
