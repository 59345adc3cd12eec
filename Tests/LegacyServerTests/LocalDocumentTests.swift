import Documents
import Gateway
import HTTPTypes
import LegacyTestSupport
import Testing

@testable import LegacyProtocol

@Suite("_local documents")
struct LocalDocumentTests {
    @Test(
        "Bodies come back unchanged, with their types and numbers",
        arguments: [
            #""lastSequence":"12""#, #""lastSequence":null"#, #""lastSequence":12"#, #""last_seq":1e400,"x":1.0"#,
            #""history":[{"last_seq":8,"session_id":"A"}],"version":1"#, #""\u005fx":"\u00fc","nested":{"_rev":"1-x","_id":1}"#,
        ])
    func verbatim(_ members: String) async throws {
        let bridge = try await Bridge()
        let put = try await bridge.send(.put, "/db/_local/c", json: "{\(members)}")
        #expect(put.status == 201)
        #expect(put.text == #"{"id":"_local/c","ok":true,"rev":"0-1"}"#)
        #expect(try await bridge.send(.get, "/db/_local/c").text == "{\"_id\":\"_local/c\",\"_rev\":\"0-1\",\(members)}")
    }

    @Test("A write without the last revision is refused with 409, from which clients recover")
    func conflicts() async throws {
        let bridge = try await Bridge()
        #expect(try await bridge.send(.put, "/db/_local/c", json: #"{"_rev":"0-1"}"#).status == 404)
        #expect(try await bridge.send(.put, "/db/_local/c", json: "{}").status == 201)
        let second = try await bridge.send(.put, "/db/_local/c", json: "{}")
        #expect(second.status == 409)
        #expect(second.text == #"{"error":"conflict","reason":"Document update conflict"}"#)
        #expect(try await bridge.send(.put, "/db/_local/c", json: #"{"_rev":"0-7"}"#).status == 409)
        #expect(try await bridge.send(.put, "/db/_local/c?rev=0-1", json: #"{"a":1}"#).text.contains("\"0-2\""))
        #expect(try await bridge.send(.delete, "/db/_local/c?rev=0-1").status == 409)
        #expect(try await bridge.send(.delete, "/db/_local/c?rev=0-2").status == 200)
        #expect(try await bridge.send(.get, "/db/_local/c").text == #"{"error":"not_found","reason":"missing"}"#)
    }

    @Test("CouchDB sends the revision twice and compares the body that it gets back, so _revisions are not stored")
    func couchDB() async throws {
        let bridge = try await Bridge()
        let first = #"{"_id":"_local/c","session_id":"a","history":[{"_revisions":1}],"_revisions":{"start":0,"ids":["0"]}}"#
        #expect(try await bridge.send(.put, "/db/_local/c", json: first).status == 201)
        let kept = #""session_id":"a","history":[{"_revisions":1}]}"#
        #expect(try await bridge.send(.get, "/db/_local/c").text == #"{"_id":"_local/c","_rev":"0-1","# + kept)
        let second = #"{"_revisions":{"start":0,"ids":["1"]},"_id":"_local/c","_rev":"0-1","session_id":"b"}"#
        #expect(try await bridge.send(.put, "/db/_local/c", json: second).status == 201)
        #expect(try await bridge.send(.get, "/db/_local/c").text == #"{"_id":"_local/c","_rev":"0-2","session_id":"b"}"#)
    }

    @Test("PouchDB's IDs with == and encoded slashes are accepted, also in _bulk_docs")
    func bulk() async throws {
        let bridge = try await Bridge()
        let write = #"{"docs":[{"_id":"_local/wG/a==","last_seq":8,"version":1}],"new_edits":true}"#
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: write).text == #"[{"id":"_local/wG/a==","ok":true,"rev":"0-1"}]"#)
        let again = #"{"docs":[{"_id":"_local/wG/a==","_rev":"0-1","last_seq":9}]}"#
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: again).text == #"[{"id":"_local/wG/a==","ok":true,"rev":"0-2"}]"#)
        #expect(try await bridge.send(.get, "/db/_local/wG%2Fa%3D%3D?").text == #"{"_id":"_local/wG/a==","_rev":"0-2","last_seq":9}"#)
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: again).text.contains("\"status\":409"))
    }

    @Test("Local documents are in no feed and belong to one keyspace")
    func apart() async throws {
        let bridge = try await Bridge { $0.collections = [.init(name: .init(scope: "s", name: "c"))] }
        _ = try await bridge.send(.put, "/db/_local/c", json: "{}")
        #expect(try await bridge.send(.get, "/db/_changes").json["results"]?.array?.isEmpty == true)
        #expect(try await bridge.send(.get, "/db.s.c/_local/c").status == 404)
    }

    @Test("Malformed local documents are refused", arguments: [("[]", 400), ("{", 400), (#"{"_rev":1}"#, 400), (#"{"a":1,"a":2}"#, 400)])
    func refused(_ body: String, _ status: Int) async throws {
        #expect(try await Bridge().send(.put, "/db/_local/c", json: body).status == status)
    }

    @Test("Local documents with too large a body or too long an ID are refused")
    func limits() async throws {
        var limits = LegacyLimits()
        limits.localDocumentSize = 100
        let bridge = try await Bridge(limits: limits)
        let body = "{\"a\":\"\(String(repeating: "x", count: 200))\"}"
        #expect(try await bridge.send(.put, "/db/_local/c", json: body).status == 413)
        #expect(try await bridge.send(.put, "/db/_local/\(String(repeating: "x", count: 300))", json: "{}").status == 400)
    }
}
