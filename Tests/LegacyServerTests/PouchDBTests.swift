import Documents
import HTTPTypes
import LegacyTestSupport
import Testing

/// Behaviour beyond Sync Gateway's, which does not contradict it.
@Suite("Requirements of PouchDB's own tests")
struct PouchDBTests {
    @Test("Rows of revisions that the server makes have ok; rows of replicated revisions do not, as in Sync Gateway")
    func ok() async throws {
        let bridge = try await Bridge()
        let rows = try await bridge.send(.post, "/db/_bulk_docs", json: #"{"docs":[{"_id":"a"},{"_id":"a"}]}"#).json.array
        #expect(rows?.map { $0["ok"]?.bool } == [true, nil])
        let replicated = #"{"new_edits":false,"docs":[{"_id":"b","_rev":"1-x"}]}"#
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: replicated).text == #"[{"id":"b","rev":"1-x"}]"#)
    }

    @Test("A local document is deleted by DELETE, by a PUT with _deleted and in _bulk_docs, each with the revision 0-0")
    func deletedLocalDocuments() async throws {
        let bridge = try await Bridge()
        let path = "/db/_local/c"
        func write() async throws {
            #expect(try await bridge.send(.put, path, json: #"{"a":1,"_deleted":false}"#).text.contains("\"0-1\""))
            #expect(try await bridge.send(.get, path).text == #"{"_id":"_local/c","_rev":"0-1","a":1}"#)
        }
        let gone = #"{"id":"_local/c","ok":true,"rev":"0-0"}"#
        try await write()
        #expect(try await bridge.send(.delete, path + "?rev=0-1").text == gone)
        #expect(try await bridge.send(.delete, path + "?rev=0-1").status == 404)
        try await write()
        #expect(try await bridge.send(.put, path, json: #"{"_rev":"0-7","_deleted":true}"#).status == 409)
        #expect(try await bridge.send(.put, path, json: #"{"_rev":"0-1","_deleted":true}"#).text == gone)
        #expect(try await bridge.send(.get, path).status == 404)
        try await write()
        let bulk = #"{"docs":[{"_id":"_local/c","_rev":"0-1","_deleted":true}]}"#
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: bulk).text == "[\(gone)]")
        #expect(try await bridge.send(.get, path).status == 404)
    }

    @Test("Attachments of a local document are not stored, as in Sync Gateway")
    func attachmentsOfLocalDocuments() async throws {
        let bridge = try await Bridge()
        _ = try await bridge.send(.put, "/db/_local/c", json: #"{"a":1,"_attachments":{"x":{"data":"aGk="}},"b":2}"#)
        #expect(try await bridge.send(.get, "/db/_local/c").text == #"{"_id":"_local/c","_rev":"0-1","a":1,"b":2}"#)
    }

    @Test("A history that begins with the parent is read as the parent's history if both revisions have the same digest")
    func parentsHistory() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"3-c","_revisions":{"start":2,"ids":["c","a"]},"v":1}"#)
        let document = try await bridge.send(.get, "/db/d?revs=true").json
        #expect(document["_rev"]?.string == "3-c")
        #expect(document["_revisions"]?["ids"]?.array?.compactMap(\.string) == ["c", "c", "a"])
    }

    @Test("A stub with a malformed digest is refused with 412, as a stub of unknown bytes is")
    func malformedDigest() async throws {
        let bridge = try await Bridge()
        let stub = #"{"_attachments":{"a":{"stub":true,"digest":"md5-none=="}}}"#
        let answer = try await bridge.send(.put, "/db/d", json: stub)
        #expect(answer.status == 412 && answer.text.contains("missing_stub"))
    }

    @Test("An edit with new bytes beside the old digest and length gets a new digest and length")
    func replacedBytes() async throws {
        let bridge = try await Bridge()
        let first = try await bridge.send(.put, "/db/d", json: #"{"_attachments":{"a":{"data":"b25l","content_type":"text/plain"}}}"#).json
        let old = try #require(try await bridge.send(.get, "/db/d").json["_attachments"]?["a"]?["digest"]?.string)
        let entry = "\"content_type\":\"text/plain\",\"digest\":\"\(old)\",\"length\":3,\"revpos\":1,\"data\":\"b25lLWNoYW5nZWQ=\",\"x\":1"
        let revision = try #require(first["rev"]?.string)
        let edit = "{\"_rev\":\"\(revision)\",\"_attachments\":{\"a\":{\(entry)}}}"
        #expect(try await bridge.send(.put, "/db/d", json: edit).status == 201)
        let now = try await bridge.send(.get, "/db/d").json["_attachments"]?["a"]
        #expect(now?["length"]?.int == 11 && now?["revpos"]?.int == 2 && now?["digest"]?.string != old && now?["x"] == nil)
        #expect(now?["content_type"]?.string == "text/plain")
        #expect(try await bridge.send(.get, "/db/d/a").text == "one-changed")
    }

    @Test(
        "The bytes of a replicated revision must match their length and digest",
        arguments: [("\"length\":3", "bytes"), (Self.hello, "digest")])
    func comparedBytes(_ member: String, _ reason: String) async throws {
        let document = "{\"_id\":\"e\",\"_rev\":\"1-x\",\"_attachments\":{\"a\":{\"data\":\"aGk=\",\(member)}}}"
        let bridge = try await Bridge()
        let row = try await bridge.send(.post, "/db/_bulk_docs", json: "{\"new_edits\":false,\"docs\":[\(document)]}").json.array?.first
        #expect(row?["status"]?.int == 400 && row?["reason"]?.string?.contains(reason) == true)
    }

    private static let hello = #""digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=""#

    @Test("keys beside key or a range is 400; key beside a range is accepted", arguments: ["startkey", "endkey", "start_key", "end_key"])
    func keys(_ other: String) async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#)
        #expect(try await bridge.send(.post, "/db/_all_docs?\(other)=%22a%22", json: #"{"keys":["a"]}"#).status == 400)
        #expect(try await bridge.send(.get, "/db/_all_docs?\(other)=%22a%22&key=%22a%22").status == 200)
        #expect(try await bridge.send(.get, "/db/_all_docs?keys=%5B%22a%22%5D&key=%22a%22").status == 400)
    }

    @Test("revs_info has the revisions that can still be read")
    func revisionInfo() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]}}"#)
        try await bridge.push(#"{"_id":"d","_rev":"3-c","_revisions":{"start":3,"ids":["c","b"]},"_deleted":true}"#)
        func info(_ query: String) async throws -> [String]? {
            try await bridge.send(.get, "/db/d?revs_info=true&\(query)").json["_revs_info"]?.array?.map {
                ($0["rev"]?.string ?? "") + " " + ($0["status"]?.string ?? "")
            }
        }
        #expect(try await info("rev=2-b") == ["2-b available", "1-a missing"])
        #expect(try await info("rev=3-c") == ["3-c deleted", "2-b available", "1-a missing"])
        #expect(try await bridge.send(.get, "/db/d?rev=2-b").json["_revs_info"] == nil)
    }
}
