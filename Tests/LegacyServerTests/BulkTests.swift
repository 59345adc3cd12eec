import Access
import Documents
import Gateway
import HTTP
import HTTPTypes
import LegacyTestSupport
import Storage
import Testing

@testable import LegacyProtocol

@Suite("_bulk_docs, _bulk_get, _revs_diff, _all_docs")
struct BulkTests {
    @Test("new_edits is read before and after docs")
    func newEdits() async throws {
        let bridge = try await Bridge()
        let document = #"{"_id":"a","_rev":"2-x","_revisions":{"start":2,"ids":["x","w"]}}"#
        #expect(
            try await bridge.send(.post, "/db/_bulk_docs", json: "{\"new_edits\":false,\"docs\":[\(document)]}").text
                == #"[{"id":"a","rev":"2-x"}]"#)
        #expect(
            try await bridge.send(.post, "/db/_bulk_docs", json: "{\"docs\":[\(document)],\"new_edits\":false}").text
                == #"[{"id":"a","rev":"2-x"}]"#)
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: #"{"docs":[{"_id":"a"}]}"#).text.contains("Document exists"))
    }

    @Test("An invalid document fails only its own row, which has its ID")
    func rows() async throws {
        let bridge = try await Bridge()
        let answer = try await bridge.send(
            .post, "/db/_bulk_docs",
            json: #"""
                {"new_edits":false,"docs":[{"_id":"a","_rev":"1-x"},{"_id":"b","_foo":1},{"_id":"c","_rev":"x"},{"_id":"d"},
                {"_id":"_e","_rev":"1-x"},{"_id":"_design/f","_rev":"1-x"},{"_id":"g","_rev":"1-x","_attachments":{"a":{"data":"*"}}},
                {"_id":"h","_rev":"1-x","_removed":true},{"_id":"i","_rev":"2-x","_revisions":{"start":2,"ids":["y","w"]}},
                {"_id":"j","_rev":"1-x","_rev":"1-x"},7,{"_id":"k","_rev":"1-x"}]}
                """#)
        #expect(answer.status == 201)
        let rows = try #require(answer.json.array)
        #expect(rows.map { $0["id"]?.string } == ["a", "b", "c", "d", "_e", "_design/f", "g", "h", "i", "j", "", "k"])
        #expect(rows.map { $0["status"]?.int } == [nil, 400, 400, 400, 400, 403, 400, 404, 400, 400, 400, nil])
        #expect(rows.map { $0["error"]?.string }[1...5] == ["bad_request", "bad_request", "bad_request", "bad_request", "forbidden"])
        #expect(rows[2...3].map { $0["reason"] } == [.string("Bad _revisions"), .string("Bad _revisions")])
        #expect(rows[1]["reason"] == .string("user defined top level properties beginning with '_' are not allowed in document body"))
        #expect(try await bridge.send(.get, "/db/_changes").json["results"]?.array?.count == 2)
    }

    @Test(
        "Long attachments of a long body are stored as they arrive, and the limit applies to the rest of the body",
        arguments: [false, true])
    func longBody(makesRevisions: Bool) async throws {
        var limits = LegacyLimits()
        (limits.bodySize, limits.streamedBodySize, limits.bufferedAttachmentSize) = (20_000, 2_000, 1_000)
        let bridge = try await Bridge(limits: limits)
        let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let data = Base64.encode(bytes)
        let digest = AttachmentDigest.md5(of: bytes)
        let documents = [
            #"{"_id":"a","_rev":"1-x","_attachments":{"f":{"digest":"\#(digest)","data":"\#(data)"},"g":{"data":"QUI="}}}"#,
            #"{"_id":"b","_rev":"1-x","_attachments":{"f":{"data":"\#(data)*"}}}"#,
            #"{"_id":"c","_rev":"1-x","_attachments":{"f":{"digest":"md5-1B2M2Y8AsgTpgAmY7PhCfg==","data":"\#(data)"}}}"#,
            #"{"_id":"d","_rev":"1-x","_attachments":{"f":{"follows":true}}}"#,
            #"{"_id":"e","_rev":"1-x","_attachments":{"f":{"data":"\#(data)","length":7}}}"#,
            #"{"_id":"f","_rev":"1-x","_attachments":{"f":{"content_type":"a/b","data":"\#(data)"}}}"#,
        ].map { makesRevisions ? $0.replacing(#""_rev":"1-x","#, with: "") : $0 }
        let answer = try await bridge.send(
            .post, "/db/_bulk_docs", json: #"{"docs":[\#(documents.joined(separator: ","))],"new_edits":\#(makesRevisions)}"#)
        #expect(answer.status == 201)
        let rows = try #require(answer.json.array)
        // An editor sends the document as read: the old digest and length beside new bytes.
        #expect(rows.map { $0["status"]?.int } == [nil, 400, makesRevisions ? nil : 400, 400, makesRevisions ? nil : 400, nil])
        for id in ["a", "f"] { #expect(try await bridge.send(.get, "/db/\(id)/f").bytes == bytes) }
        #expect(try await bridge.send(.get, "/db/a/g").text == "AB")
        let rest = #"{"docs":[{"x":"\#(String(repeating: "x", count: 21_000))"}]}"#
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: rest).status == 413)
    }

    @Test("A row of a failed document has its ID whatever the error, and the other documents are written")
    func namedRows() async throws {
        let bridge = try await Bridge()
        let documents = [
            #"{"_id":"a","_rev":5}"#, #"{"_id":"b","_deleted":false,"_deleted":true}"#, #"{"_id":"c\ud83d"}"#, #"{"_id":"d","_rev":"x"}"#,
            #"{"_revisions":{"a":1},"_id":"e"}"#, #"{"_id":"f"}"#,
        ]
        let body = "{\"docs\":[\(documents.joined(separator: ","))]}"
        let rows = try #require(try await bridge.send(.post, "/db/_bulk_docs", json: body).json.array)
        #expect(rows.map { $0["id"]?.string } == ["a", "b", "c\u{fffd}", "d", "e", "f"])
        #expect(rows.map { $0["status"]?.int } == [400, 400, 400, 400, 400, nil])
        #expect(rows[3]["reason"] == .string("Invalid revision ID"))
    }

    @Test("Branches are accepted; where conflicts are refused, their rows have 409")
    func conflicts() async throws {
        let open = try await Bridge()
        let refusing = try await Bridge { $0.conflicts = .refuse }
        let documents =
            #"{"new_edits":false,"docs":[{"_id":"h","_rev":"2-a","_revisions":{"start":2,"ids":["a","r"]}},{"_id":"h","_rev":"2-b","_revisions":{"start":2,"ids":["b","r"]}}]}"#
        #expect(try await open.send(.post, "/db/_bulk_docs", json: documents).text == #"[{"id":"h","rev":"2-a"},{"id":"h","rev":"2-b"}]"#)
        #expect(
            try await refusing.send(.post, "/db/_bulk_docs", json: documents).text
                == #"[{"id":"h","rev":"2-a"},{"error":"conflict","id":"h","reason":"Document revision conflict","status":409}]"#)
    }

    @Test(
        "A body that is not a _bulk_docs request is refused",
        arguments: [
            "", "{", "[]", "null", #"{"docs":1}"#, #"{"docs":[}"#, #"{"new_edits":false}"#, #"{"docs":[],"new_edits":1}"#, #"{"docs":[]"#,
            #"{"docs":[{"_id":"a""#,
        ])
    func malformed(_ body: String) async throws {
        let bridge = try await Bridge()
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: body).status == 400)
        #expect(try await bridge.send(.post, "/db/_bulk_get", json: body).status == 400 || body.contains("\"docs\":[],"))
    }

    @Test("Too many documents are refused with 413, at which CouchDB splits the batch")
    func tooMany() async throws {
        var limits = LegacyLimits()
        limits.documents = 2
        limits.revisions = 2
        let bridge = try await Bridge(limits: limits)
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: #"{"docs":[{},{},{}]}"#).status == 413)
        #expect(try await bridge.send(.post, "/db/_bulk_get", json: #"{"docs":[{"id":"a"},{"id":"a"},{"id":"a"}]}"#).status == 413)
        #expect(try await bridge.send(.post, "/db/_revs_diff", json: #"{"a":[],"b":[],"c":[]}"#).status == 413)
        #expect(try await bridge.send(.post, "/db/_revs_diff", json: #"{"a":["1-a","1-b","1-c"]}"#).status == 413)
        #expect(try await bridge.send(.post, "/db/_all_docs", json: #"{"keys":["a","b","c"]}"#).status == 413)
        #expect(try await bridge.send(.post, "/db/_changes", json: #"{"filter":"_doc_ids","doc_ids":["a","b","c"]}"#).status == 413)
    }

    // MARK: _bulk_get

    @Test(
        "_bulk_get sends JSON to PouchDB and CouchDB and multipart to Couchbase Lite, by the Accept header",
        arguments: [
            ("application/json", false), ("multipart/related", true), ("multipart/related, application/json", true), ("*/*", true),
            ("multipart/mixed", true),
        ])
    func accept(_ accept: String, _ isMultipart: Bool) async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"1-x","v":1}"#)
        let request = #"{"docs":[{"id":"a","rev":"1-x"},{"id":"b","rev":"1-y"},{"id":"a","rev":"nonsense"},{"id":"a"}]}"#
        let answer = try await bridge.send(.post, "/db/_bulk_get?revs=true", headers: [.accept: accept], json: request)
        #expect(answer.status == 200)
        let found = #"{"_id":"a","_rev":"1-x","_revisions":{"start":1,"ids":["x"]},"v":1}"#
        let missing = #"{"error":"not_found","id":"b","reason":"missing","rev":"1-y","status":404}"#
        let bad = #"{"error":"not_found","id":"a","reason":"missing","rev":"nonsense","status":404}"#
        guard isMultipart else {
            #expect(
                answer.text == "{\"results\":[{\"id\":\"a\",\"docs\":[{\"ok\":\(found)}]},{\"id\":\"b\",\"docs\":[{\"error\":\(missing)}]}"
                    + ",{\"id\":\"a\",\"docs\":[{\"error\":\(bad)}]},{\"id\":\"a\",\"docs\":[{\"ok\":\(found)}]}]}")
            return
        }
        #expect(try answer.parts.map(\.text) == [found, missing, bad, found])
        #expect(try answer.parts.map(\.headers.isError) == [false, true, true, false])
    }

    @Test("_bulk_get in small pieces gives the same response as in one piece, also without items")
    func pieces() async throws {
        var limits = LegacyLimits()
        limits.readBatch = 2
        let bridge = try await Bridge(limits: limits)
        for number in 0..<7 { try await bridge.push("{\"_id\":\"d\(number)\",\"_rev\":\"1-x\"}") }
        let items = (0..<9).map { "{\"id\":\"d\($0)\",\"rev\":\"1-x\"}" }.joined(separator: ",")
        let answer = try await bridge.send(.post, "/db/_bulk_get", json: "{\"docs\":[\(items)]}")
        #expect(try answer.parts.map(\.headers.isError) == [false, false, false, false, false, false, false, true, true])
        let json = try await bridge.send(.post, "/db/_bulk_get", headers: [.accept: "application/json"], json: "{\"docs\":[\(items)]}")
        #expect(try json.json["results"]?.array?.count == 9)
        #expect(try await bridge.send(.post, "/db/_bulk_get", json: #"{"docs":[]}"#).parts.isEmpty)
        #expect(
            try await bridge.send(.post, "/db/_bulk_get", headers: [.accept: "application/json"], json: #"{"docs":[]}"#).text
                == #"{"results":[]}"#)
    }

    @Test("latest replaces a superseded revision by the newest one")
    func latest() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"2-y","_revisions":{"start":2,"ids":["y","x"]}}"#)
        let answer = try await bridge.send(
            .post, "/db/_bulk_get?latest=true", headers: [.accept: "application/json"], json: #"{"docs":[{"id":"a","rev":"1-x"}]}"#)
        #expect(answer.text == #"{"results":[{"id":"a","docs":[{"ok":{"_id":"a","_rev":"2-y"}}]}]}"#)
        let inBody = try await bridge.send(
            .post, "/db/_bulk_get", headers: [.accept: "application/json"],
            json: #"{"latest":true,"revs":true,"attachments":false,"docs":[{"id":"a","rev":"1-x"}]}"#)
        #expect(try inBody.json["results"]?.array?[0]["docs"]?.array?[0]["ok"]?["_revisions"] != nil)
    }

    @Test("A malformed item fails alone, an empty revision counts as absent, and revs_limit of the query applies to all items")
    func malformedItems() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"2-y","_revisions":{"start":2,"ids":["y","x"]}}"#)
        let items = [
            #"{"id":5}"#, #"{"id":"a","rev":5}"#, "7", #"{"id":"a","atts_since":5}"#, #"{"id":"a","revs_from":["1-x",2]}"#,
            #"{"id":"a","revs_limit":-1}"#, #"{"id":"a","rev":""}"#, #"{"id":"a","atts_since":["nonsense"]}"#,
        ]
        let answer = try await bridge.send(
            .post, "/db/_bulk_get?revs=true&revs_limit=1", headers: [.accept: "application/json"],
            json: "{\"docs\":[\(items.joined(separator: ","))]}")
        #expect(answer.status == 200)
        let results = try #require(answer.json["results"]?.array?.map { $0["docs"]?.array?.first })
        #expect(results.map { $0?["error"]?["status"]?.int } == [400, 400, 400, 400, 400, nil, nil, nil])
        #expect(results[0...2].allSatisfy { $0?["error"]?["reason"] == .string("Invalid doc/rev ID in _bulk_get") })
        #expect(results[3]?["error"]?["reason"] == .string("atts_since must be a string array"))
        for result in results.suffix(3) { #expect(result?["ok"]?["_revisions"]?["ids"]?.array?.count == 1) }
    }

    @Test("revs_limit=0 omits the history for an item, for a whole request and for a GET")
    func noHistory() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]}}"#)
        for (query, item) in [("", #","revs_limit":0"#), ("&revs_limit=0", "")] {
            let answer = try await bridge.send(
                .post, "/db/_bulk_get?revs=true\(query)", headers: [.accept: "application/json"],
                json: "{\"docs\":[{\"id\":\"a\",\"rev\":\"2-b\"\(item)}]}")
            #expect(answer.text.contains(#""_rev":"2-b""#) && !answer.text.contains("_revisions"), "\(answer.text)")
        }
        #expect(try await bridge.send(.get, "/db/a?revs=true&revs_limit=0").json["_revisions"] == nil)
        #expect(try await bridge.send(.get, "/db/a?revs=true&revs_limit=1").json["_revisions"]?["ids"]?.array?.count == 1)
    }

    // MARK: _revs_diff

    @Test("_revs_diff omits design documents for clients that may not write them")
    func design() async throws {
        let bridge = try await Bridge()
        let asked = #"{"_design/x":["1-a","nonsense"],"a":["1-a"]}"#
        #expect(try await bridge.send(.post, "/db/_revs_diff", json: asked).json.members?.map(\.key) == ["a"])
        let answer = try await bridge.send(.post, "/db/_revs_diff", json: asked, isAdministrator: true)
        #expect(try answer.json.members?.map(\.key) == ["_design/x", "a"])
    }

    @Test("_revs_diff lists the missing revisions in the order of the request, malformed ones included")
    func difference() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]}}"#)
        let answer = try await bridge.send(
            .post, "/db/_revs_diff", json: #"{"z":["1-x"],"a":["2-b","3-c"],"b":["nonsense"],"c":[],"d":["1-x","nonsense"]}"#)
        #expect(
            answer.text
                == "{\"z\":{\"missing\":[\"1-x\"]},\n\"a\":{\"missing\":[\"3-c\"],\"possible_ancestors\":[\"2-b\"]},\n\"b\":{\"missing\":[\"nonsense\"]}"
                + ",\n\"d\":{\"missing\":[\"1-x\",\"nonsense\"]}}")
        #expect(try await bridge.send(.post, "/db/_revs_diff", json: #"{"a":["2-b","1-a"]}"#).text == "{}")
        #expect(try await bridge.send(.post, "/db/_revs_diff", json: "{}").text == "{}")
        #expect(try await bridge.send(.post, "/db/_revs_diff", json: #"{"a":null}"#).text == "{}")
        #expect(answer.headers[.contentType] == "text/plain; charset=utf-8")
    }

    @Test("Without an older leaf, the newest older revision is a possible ancestor if its body is kept")
    func keptAncestors() async throws {
        for recent in [3, 0] {
            let bridge = try await Bridge { $0.limits.recentBodies = recent }
            try await bridge.push(#"{"_id":"a","_rev":"1-a"}"#)
            try await bridge.push(#"{"_id":"a","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]}}"#)
            try await bridge.push(#"{"_id":"a","_rev":"3-c","_revisions":{"start":3,"ids":["c","b","a"]}}"#)
            let answer = try await bridge.send(.post, "/db/_revs_diff", json: #"{"a":["3-zz"]}"#)
            let ancestors = recent == 0 ? "" : #","possible_ancestors":["2-b"]"#
            #expect(answer.text == "{\"a\":{\"missing\":[\"3-zz\"]\(ancestors)}}")
        }
    }

    @Test("Document IDs that differ only in Unicode normalisation name different documents")
    func normalisation() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"é","_rev":"1-x"}"#)
        let answer = try await bridge.send(.post, "/db/_revs_diff", json: "{\"e\u{301}\":[\"1-x\"],\"\u{e9}\":[\"1-x\"]}")
        #expect(answer.text.utf8.elementsEqual("{\"e\u{301}\":{\"missing\":[\"1-x\"]}}".utf8))
    }

    @Test(
        "A body that is not a _revs_diff request is refused",
        arguments: ["", "[]", "{", #"{"a":1}"#, #"{"a":[1]}"#, #"{"a":["1-x"],"a":["1-y"]}"#])
    func badDifference(_ body: String) async throws {
        #expect(try await Bridge().send(.post, "/db/_revs_diff", json: body).status == 400)
    }

    // MARK: _all_docs

    @Test("_all_docs honours ranges, both directions, limits and skips, in small pieces and in one", arguments: [1, 2, 1000])
    func ranges(_ batch: Int) async throws {
        var limits = LegacyLimits()
        limits.changesBatch = batch
        limits.readBatch = 2
        let bridge = try await Bridge(limits: limits)
        for id in ["a", "b", "c", "d", "e", "gone"] { try await bridge.push("{\"_id\":\"\(id)\",\"_rev\":\"1-x\"}") }
        try await bridge.push(#"{"_id":"gone","_rev":"2-y","_revisions":{"start":2,"ids":["y","x"]},"_deleted":true}"#)
        func ids(_ query: String) async throws -> String {
            let answer = try await bridge.send(.get, "/db/_all_docs?\(query)")
            let rows = try answer.json["rows"]?.array ?? []
            #expect(try answer.json["total_rows"]?.int == rows.count)
            return rows.compactMap { $0["id"]?.string }.joined()
        }
        #expect(try await ids("") == "abcde")
        #expect(try await ids("startkey=%22b%22&endkey=%22d%22") == "bcd")
        #expect(try await ids("startkey=%22b%22&endkey=%22d%22&inclusive_end=false") == "bc")
        #expect(try await ids("descending=true&startkey=%22d%22&endkey=%22b%22") == "dcb")
        #expect(try await ids("descending=true&limit=2") == "ed")
        #expect(try await ids("skip=1&limit=3") == "bcd")
        #expect(try await ids("skip=9") == "")
        #expect(try await ids("key=%22c%22") == "c")
        #expect(try await ids("include_docs=true&limit=3") == "abc")
    }

    @Test(
        "_all_docs for a user who sees few of many documents is read in steps and sends whitespace after each", arguments: [2, 5, 1_000],
        ["", "&skip=2", "&limit=3", "&descending=true"])
    func searchedList(_ scan: Int, _ query: String) async throws {
        var limits = LegacyLimits()
        limits.listScan = scan
        let bridge = try await Bridge(limits: limits)
        var change = AccountChange()
        change.channels = ["a"]
        try await Accounts(bridge.store).put(.user("anna"), change)
        for number in 100..<160 {
            try await bridge.push(#"{"_id":"d\#(number)","_rev":"1-a","channels":["\#(number % 10 == 0 ? "a" : "x")"]}"#)
        }
        let path = "/db/_all_docs?include_docs=false\(query)"
        let answer = try await Answer(bridge.respond(.get, path, as: .user("anna")))
        let ids = try JSONValue(answer.bytes)["rows"]?.array?.compactMap { $0["id"]?.string } ?? []
        let all = [100, 110, 120, 130, 140, 150].map { "d\($0)" }
        switch query {
        case "&skip=2": #expect(ids == Array(all.dropFirst(2)))
        case "&limit=3": #expect(ids == Array(all.prefix(3)))
        case "&descending=true": #expect(ids == all.reversed())
        default: #expect(ids == all)
        }
    }

    @Test("_all_docs with keys has rows in the order of the keys, errors for missing documents and CouchDB's rows for deleted ones")
    func keys() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"b","_rev":"1-x","v":1}"#, #"{"_id":"c","_rev":"1-x","_deleted":true}"#)
        let expected = """
            {"rows":[
            {"key":"b","id":"b","value":{"rev":"1-x"},"doc":{"_id":"b","_rev":"1-x","v":1}}
            ,{"key":"a","error":"not_found","status":404}
            ,{"key":"c","id":"c","value":{"rev":"1-x","deleted":true},"doc":null}
            ],
            "total_rows":3,"update_seq":1000000002}
            """
        #expect(try await bridge.send(.post, "/db/_all_docs?include_docs=true", json: #"{"keys":["b","a","c"]}"#).text == expected)
        #expect(try await bridge.send(.get, "/db/_all_docs?include_docs=true&keys=[%22b%22,%22a%22,%22c%22]").text == expected)
        for body in ["{}", #"{"keys":1}"#, #"{"keys":null}"#, #"{"limit":1}"#, "null"] {
            let answer = try await bridge.send(.post, "/db/_all_docs", json: body)
            #expect(answer.status == 400)
            #expect(try answer.json["reason"] == .string("Bad/missing keys"))
        }
        #expect(try await bridge.send(.post, "/db/_all_docs", json: "").json["reason"] == .string("Bad JSON: EOF"))
        let rows = try await bridge.send(.get, "/db/_all_docs?include_docs=true&revs=true&keys=[%22b%22]").json["rows"]?.array
        #expect(rows?[0]["doc"]?["_revisions"] != nil)
        #expect(try await bridge.send(.get, "/db/_all_docs?keys=x").status == 400)
        #expect(try await bridge.send(.get, "/db/_all_docs?startkey=%22x").status == 400)
    }
}
