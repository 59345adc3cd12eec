import Documents
import Gateway
import HTTP
import HTTPTypes
import LegacyTestSupport
import Testing

@testable import LegacyProtocol

@Suite("Documents")
struct DocumentEndpointTests {
    @Test("Numbers, escapes and the order of members come back unchanged")
    func untouched() async throws {
        let bridge = try await Bridge()
        let members = #""z":1.0,"a":1e400,"n":12345678901234567890,"e":"\u00fc\/","o":{"b":1,"a":[ 1 , 2 ]}"#
        try await bridge.push("{\"_id\":\"d\",\(members),\"_rev\":\"1-x\"}")
        #expect(try await bridge.send(.get, "/db/d").text == "{\"_id\":\"d\",\"_rev\":\"1-x\",\(members)}")
        #expect(
            try await bridge.send(.get, "/db/_changes?include_docs=true").text.contains(
                "\"doc\":{\"_id\":\"d\",\"_rev\":\"1-x\",\(members)}"))
        let bulk = try await bridge.send(.post, "/db/_bulk_get", json: #"{"docs":[{"id":"d","rev":"1-x"}]}"#)
        #expect(try bulk.parts.first?.text == "{\"_id\":\"d\",\"_rev\":\"1-x\",\(members)}")
    }

    @Test("The history is complete, ends at a revision that the client has, or ends at revs_limit")
    func history() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"4-d","_revisions":{"start":4,"ids":["d","c","b","a"]}}"#)
        func ids(_ query: String) async throws -> String? {
            try await bridge.send(.get, "/db/d?\(query)").json["_revisions"]?["ids"]?.array?.compactMap(\.string).joined()
        }
        #expect(try await ids("") == nil)
        #expect(try await ids("revs=true") == "dcba")
        #expect(try await ids("revs=true&rev=4-d&revs_from=[]") == "dcba")
        #expect(try await ids("revs=true&revs_from=[%222-b%22,%221-a%22]") == "dcb")
        #expect(try await ids("revs=true&atts_since=[%223-c%22]") == "dc")
        #expect(try await ids("revs=true&revs_limit=1") == "d")
        #expect(try await ids("revs=true&rev=4-d&revs_from=[%224-d%22]") == "dcba")
    }

    @Test("open_revs sends all leaves, named revisions, missing revisions and the newest one for a superseded revision")
    func openRevisions() async throws {
        let bridge = try await Bridge()
        try await bridge.push(
            #"{"_id":"d","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"v":1}"#,
            #"{"_id":"d","_rev":"2-c","_revisions":{"start":2,"ids":["c","a"]},"_deleted":true}"#)
        func revisions(_ query: String) async throws -> [String] {
            let answer = try await bridge.send(.get, "/db/d?\(query)", headers: [.accept: "application/json"])
            return try answer.json.array?.map { $0["ok"]?["_rev"]?.string ?? "-" + ($0["missing"]?.string ?? "") } ?? []
        }
        #expect(try await revisions("open_revs=all") == ["2-b", "2-c"])
        #expect(try await revisions("open_revs=[%222-c%22,%229-x%22]") == ["2-c", "-9-x"])
        #expect(try await revisions("open_revs=[%221-a%22]&latest=true") == ["2-b", "2-c"])
        #expect(try await revisions("open_revs=[%221-a%22,%222-b%22]&latest=true") == ["2-b", "2-c"])
        let multipart = try await bridge.send(.get, "/db/d?open_revs=all&revs=true", headers: [.accept: "multipart/mixed"])
        #expect(multipart.headers[.contentType]?.hasPrefix("multipart/mixed; boundary=") == true)
        #expect(try multipart.parts.map { $0.headers["Content-Type"] } == ["application/json", "application/json"])
        #expect(multipart.text.hasSuffix("--"))
        #expect(try await bridge.send(.get, "/db/none?open_revs=all").status == 404)
        #expect(try await bridge.send(.get, "/db/d?open_revs=x").status == 400)
    }

    @Test("Conflicts are sent if requested")
    func conflicts() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"1-b"}"#, #"{"_id":"d","_rev":"1-c"}"#)
        #expect(try await bridge.send(.get, "/db/d?conflicts=true").text == #"{"_id":"d","_rev":"1-c","_conflicts":["1-b"]}"#)
    }

    @Test("A tombstone is 404 without its revision and 200 with it")
    func tombstone() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"_deleted":true,"why":1}"#)
        #expect(try await bridge.send(.get, "/db/d").text == #"{"error":"not_found","reason":"deleted"}"#)
        #expect(try await bridge.send(.get, "/db/d?rev=2-b").text == #"{"_id":"d","_rev":"2-b","_deleted":true,"why":1}"#)
        #expect(try await bridge.send(.head, "/db/d?rev=2-b").headers[.eTag] == "\"2-b\"")
        #expect(try await bridge.send(.get, "/db/d?rev=1-a").status == 404)
    }

    @Test("An edit names its parent in the body, the query or If-Match; a stale or absent parent is 409")
    func edits() async throws {
        let bridge = try await Bridge()
        let first = try await bridge.send(.put, "/db/d", json: #"{"count":1}"#)
        let revision = try #require(first.json["rev"]?.string)
        #expect(first.headers[.eTag] == "\"\(revision)\"")
        let second = try await bridge.send(.put, "/db/d", headers: [.ifMatch: "\"\(revision)\""], json: #"{"count":2}"#)
        #expect(second.status == 201)
        let next = try #require(second.json["rev"]?.string)
        #expect(
            try await bridge.send(.put, "/db/d?rev=\(revision)", json: "{}").text
                == #"{"error":"conflict","reason":"Document update conflict"}"#)
        #expect(try await bridge.send(.put, "/db/d", json: "{}").text == #"{"error":"conflict","reason":"Document exists"}"#)
        #expect(try await bridge.send(.delete, "/db/d").status == 409)
        #expect(try await bridge.send(.delete, "/db/d?rev=\(next)").status == 200)
        // As in Sync Gateway, a tombstone gets a child tombstone, and a document that does not exist gets its first revision.
        #expect(try await bridge.send(.delete, "/db/d").json["rev"]?.string?.hasPrefix("4-") == true)
        let answer = try await bridge.send(.delete, "/db/none")
        #expect(try answer.status == 200 && answer.json["rev"]?.string == "1-2cac91faf7b3f5e5fd56ff377bdb5466")
        #expect(try await bridge.send(.get, "/db/none").json["reason"]?.string == "deleted")
    }

    @Test("The parent's ID and the body give Sync Gateway's revision ID")
    func revisionID() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"1-1111"}"#)
        let answer = try await bridge.send(.put, "/db/d?rev=1-1111", json: #"{"count":2}"#)
        #expect(answer.text == #"{"id":"d","ok":true,"rev":"2-c5557c751fcbfe4cd1f7221085d9ff70"}"#)
    }

    @Test("Documents are written and read with a plain slash in the URL, as .NET sends them")
    func unescapedIDs() async throws {
        let bridge = try await Bridge()
        let body = #"{"_id":"a/b c","_rev":"1-x","_revisions":{"start":1,"ids":["x"]}}"#
        #expect(try await bridge.send(.put, "/db/a/b%20c?new_edits=false", json: body).status == 201)
        #expect(try await bridge.send(.get, "/db/a/b%20c?rev=1-x&revs=true&attachments=true&revs_from=[]").status == 200)
        #expect(try await bridge.send(.get, "/db/a%2Fb%20c").json["_id"] == .string("a/b c"))
    }

    @Test(
        "Invalid requests are refused with the right status",
        arguments: [
            ("{", 400, "Bad JSON"), ("[]", 400, "Bad JSON"), ("", 400, "Bad JSON"), (#"{"_rev":"1-a","_rev":"1-a"}"#, 400, "Bad JSON"),
            ("{\"a\":\"\u{1}\"}", 400, "Bad JSON"),
            ("", 400, "Bad JSON: EOF"), (#"{"type":"#, 400, "Bad JSON: unexpected EOF"), ("null", 400, "Document body is empty"),
            (#"{"_id":1}"#, 400, "Invalid doc ID"),
            (#"{"_rev":"nonsense"}"#, 400, "Invalid revision ID"),
            (#"{"_foo":1}"#, 400, "top level properties beginning with '_'"), (#"{"_deleted":"yes"}"#, 400, "_deleted"),
            (#"{"_removed":true}"#, 404, "not accessible"), (#"{"_attachments":[]}"#, 400, "_attachments"),
            (#"{"_attachments":{"a":{}}}"#, 400, "Missing data"), (#"{"_attachments":{"a":{"data":"a*b"}}}"#, 400, "data"),
            (#"{"_attachments":{"a":{"follows":true}}}"#, 400, "follow"), (#"{"_attachments":{"a":{"stub":true}}}"#, 412, "stub"),
        ])
    func refused(_ body: String, _ status: Int, _ reason: String) async throws {
        let answer = try await Bridge().send(.put, "/db/d", json: body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(try answer.json["reason"]?.string?.contains(reason) == true, "\(answer.text)")
        #expect(answer.headers[.contentType] == "application/json")
    }

    @Test(
        "Invalid document IDs are refused",
        arguments: [
            ("/db/\(String(repeating: "x", count: 251))", 400), ("/db/a%01b", 400), ("/db/_x", 404),
        ])
    func badIDs(_ target: String, _ status: Int) async throws {
        #expect(try await Bridge().send(.put, target, json: "{}").status == status)
    }

    @Test("Form content types are refused with 415, a missing type means JSON, and an unknown Accept is 406")
    func types() async throws {
        let bridge = try await Bridge()
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        #expect(try await bridge.send(.put, "/db/d", headers: form, json: "{}").status == 415)
        #expect(try await bridge.send(.post, "/db/_bulk_docs", headers: form, json: "{}").status == 415)
        #expect(try await bridge.send(.put, "/db/d", body: Array("{}".utf8)).status == 201)
        #expect(try await bridge.send(.put, "/db/e", headers: [.contentType: ""], json: "{}").status == 201)
        #expect(try await bridge.send(.get, "/db/d", headers: [.accept: "image/png"]).status == 406)
        #expect(try await bridge.send(.get, "/db/d?open_revs=all", headers: [.accept: "image/png"]).status == 406)
        #expect(try await bridge.send(.post, "/db/_bulk_get", headers: [.accept: "image/png"], json: #"{"docs":[]}"#).status == 406)
    }

    @Test(
        "Malformed parameters are refused with 400",
        arguments: ["atts_since=x", "atts_since=[1]", "open_revs=x"])
    func badParameters(_ query: String) async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"1-x"}"#)
        #expect(try await bridge.send(.get, "/db/d?\(query)").status == 400)
    }

    @Test("A malformed revision is missing, and malformed optional parameters are ignored")
    func lenientParameters() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"1-x"}"#)
        for target in ["/db/d?rev=nonsense", "/db/d/a?rev=nonsense"] {
            let answer = try await bridge.send(.get, target)
            #expect(answer.status == 404)
            #expect(answer.text == #"{"error":"not_found","reason":"missing"}"#)
        }
        for query in ["revs=maybe", "revs=TRUE&revs_limit=x", "atts_since=[%22x%22]&attachments=true", "open_revs=", "latest=x&rev=1-x"] {
            #expect(try await bridge.send(.get, "/db/d?\(query)").text == #"{"_id":"d","_rev":"1-x"}"#, "\(query)")
        }
        let json: HTTPFields = [.accept: "application/json"]
        #expect(try await bridge.send(.get, "/db/d?open_revs=[%22x%22]", headers: json).text == "[\n{\"missing\":\"x\"}\n]")
    }

    @Test("The ID in the URL and the revision in the query or If-Match take precedence over those in the document")
    func precedence() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"1-x"}"#)
        let second = try await bridge.send(.put, "/db/d?rev=1-x", json: #"{"_id":"other","_rev":"1-old"}"#)
        #expect(second.status == 201)
        let rev = try #require(second.json["rev"]?.string)
        #expect(try second.json["id"] == .string("d"))
        #expect(try await bridge.send(.put, "/db/d", headers: [.ifMatch: "\"\(rev)\""], json: #"{"_rev":"1-x"}"#).status == 201)
        for (path, id) in [("A", "A"), ("A%2FB", "A/B"), ("C/D", "C/D")] {
            let answer = try await bridge.send(.put, "/db/\(path)?new_edits=false", json: #"{"_id":"B","_rev":"1-x"}"#)
            #expect(try answer.status == 201 && answer.json["id"] == .string(id))
        }
        #expect(try await bridge.send(.get, "/db/B").status == 404)
        #expect(try await bridge.send(.get, "/db/A").json["_id"] == .string("A"))
    }

    @Test("A percent sign in the URL is literal where the document has the same ID, because .NET does not encode it")
    func unescapedPercents() async throws {
        let bridge = try await Bridge()
        let body = #"{"_id":"50%25/x","_rev":"1-x"}"#
        #expect(try await bridge.send(.put, "/db/50%25/x?new_edits=false", json: body).json["id"] == .string("50%25/x"))
        #expect(try await bridge.send(.put, "/db/50%25%2Fx?new_edits=false", json: body).json["id"] == .string("50%/x"))
    }

    @Test("A sync function's unauthorized error is 401 for a single write and in a row")
    func unauthorized() async throws {
        let function = #"function (doc) { if (doc.n == 1) throw({unauthorized: "no way"}); if (doc.n == 2) throw({forbidden: "no"}); }"#
        let bridge = try await Bridge { $0.collections.append(.init(name: .default, syncFunction: function)) }
        let answer = try await bridge.send(.put, "/db/a", json: #"{"n":1}"#)
        #expect(answer.status == 401)
        #expect(answer.text == #"{"error":"Unauthorized","reason":"no way"}"#)
        let rows = try await bridge.send(.post, "/db/_bulk_docs", json: #"{"docs":[{"_id":"a","n":1},{"_id":"b","n":2}]}"#)
        #expect(
            rows.text
                == #"[{"error":"unauthorized","id":"a","reason":"no way","status":401},{"error":"forbidden","id":"b","reason":"no","status":403}]"#
        )
    }

    @Test("Bodies beyond the limits are refused by announced length, received length, document size and nesting depth")
    func tooLarge() async throws {
        var limits = LegacyLimits()
        limits.bodySize = 1000
        limits.depth = 20
        let bridge = try await Bridge(limits: limits) { $0.limits.documentSize = 500 }
        let large = "{\"a\":\"\(String(repeating: "x", count: 2000))\"}"
        #expect(try await bridge.send(.put, "/db/d", headers: [.contentLength: "5000000000"], json: "{}").status == 413)
        #expect(try await bridge.send(.put, "/db/d", json: large).status == 413)
        #expect(try await bridge.send(.put, "/db/d", json: "{\"a\":\"\(String(repeating: "x", count: 600))\"}").status == 413)
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: large).status == 413)
        let deep = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
        #expect(try await bridge.send(.put, "/db/d", json: "{\"a\":\(deep)}").status == 400)
        #expect(try await bridge.send(.get, "/db/d").status == 404)
    }

    @Test("A collection is a remote database with its own root, commit request and documents")
    func collections() async throws {
        let bridge = try await Bridge { $0.collections = [.init(name: .init(scope: "s", name: "c"))] }
        #expect(try await bridge.send(.put, "/db.s.c/").status == 412)
        let root = try await bridge.send(.get, "/db.s.c/").json
        #expect(root["db_name"] == .string("db.s.c"))
        #expect(root["instance_start_time"] == .string("0"))
        let commit = try await bridge.send(.post, "/db.s.c/_ensure_full_commit")
        #expect(commit.status == 201)
        #expect(try commit.json["instance_start_time"] == root["instance_start_time"])
        #expect(try await bridge.send(.put, "/db.s.c/d", json: "{}").status == 201)
        #expect(try await bridge.send(.get, "/db.s.c/_changes").json["results"]?.array?.count == 1)
        #expect(try await bridge.send(.get, "/db/d").status == 200)
        #expect(try await bridge.send(.get, "/db.s.c/").json["doc_count"] == .number("1"))
    }
}
