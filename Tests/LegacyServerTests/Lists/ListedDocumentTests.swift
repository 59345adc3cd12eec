import Documents
import Gateway
import HTTPTypes
import LegacyTestSupport
import Testing

@Suite("Documents in lists")
struct ListedDocumentTests {
    /// A document with two live leaves and a deleted one, and an attachment in the winner.
    private func bridge() async throws -> Bridge {
        let bridge = try await Bridge()
        try await bridge.push(
            #"{"_id":"a","_rev":"2-b","_revisions":{"start":2,"ids":["b","r"]},"_attachments":{"t":{"data":"aGk=","content_type":"text/plain"}}}"#,
            #"{"_id":"a","_rev":"2-a","_revisions":{"start":2,"ids":["a","r"]}}"#,
            #"{"_id":"a","_rev":"3-d","_revisions":{"start":3,"ids":["d","c","r"]},"_deleted":true}"#)
        return bridge
    }

    private func expectAll(_ document: JSONValue?) {
        #expect(document?["_conflicts"] == .array([.string("2-a")]))
        #expect(document?["_deleted_conflicts"] == .array([.string("3-d")]))
        #expect(document?["_attachments"]?["t"]?["data"] == .string("aGk="))
    }

    private static let options = "conflicts=true&deleted_conflicts=true&attachments=true"

    @Test("A document is sent with its live and deleted conflicts")
    func document() async throws {
        let bridge = try await bridge()
        expectAll(try await bridge.send(.get, "/db/a?\(Self.options)", headers: [.accept: "application/json"]).json)
        let plain = try await bridge.send(.get, "/db/a", headers: [.accept: "application/json"]).json
        #expect(plain["_conflicts"] == nil && plain["_deleted_conflicts"] == nil)
        let loser = try await bridge.send(.get, "/db/a?rev=2-a&conflicts=true", headers: [.accept: "application/json"]).json
        #expect(loser["_conflicts"] == .array([.string("2-b")]))
    }

    @Test("_all_docs and _changes send documents with the same members")
    func lists() async throws {
        let bridge = try await bridge()
        let list = try await bridge.send(.get, "/db/_all_docs?include_docs=true&\(Self.options)").json
        expectAll(list["rows"]?.array?.first?["doc"])
        let feed = try await bridge.send(.get, "/db/_changes?include_docs=true&\(Self.options)").json
        expectAll(feed["results"]?.array?.first?["doc"])
        let stubs = try await bridge.send(.get, "/db/_changes?include_docs=true").json
        #expect(stubs["results"]?.array?.first?["doc"]?["_attachments"]?["t"]?["stub"] == .bool(true))
    }

    @Test("Query parameters with the largest numbers are accepted", arguments: ["", "._default._default"])
    func extremes(_ keyspace: String) async throws {
        let bridge = try await bridge()
        let (most, least) = (Int.max, Int.min)
        for query in ["limit=1&skip=\(most)", "limit=\(most - 1)&skip=2", "limit=\(most)&skip=\(most)", "limit=\(least)&skip=\(most)"] {
            let list = try await bridge.send(.get, "/db\(keyspace)/_all_docs?\(query)")
            #expect(try list.status == 200 && list.json["rows"]?.array?.isEmpty == true, "\(query)")
        }
        #expect(try await bridge.send(.get, "/db/_all_docs?limit=\(most)&skip=\(least)").json["rows"]?.array?.count == 1)
        #expect(try await bridge.send(.get, "/db/_changes?limit=\(most)").json["results"]?.array?.count == 1)
        #expect(try await bridge.send(.get, "/db/a?revs=true&revs_limit=\(most)").status == 200)
    }

    @Test("_all_docs with channels has Sync Gateway's rows")
    func channels() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"1-x","channels":["red","blue"]}"#, #"{"_id":"b","_rev":"1-x"}"#)
        let expected = """
            {"rows":[
            {"key":"a","id":"a","value":{"rev":"1-x","channels":["blue","red"]},"update_seq":1000000001}
            ,{"key":"b","id":"b","value":{"rev":"1-x"},"update_seq":1000000002}
            ],
            "total_rows":2,"update_seq":1000000002}
            """
        #expect(try await bridge.send(.get, "/db/_all_docs?channels=true&update_seq=true").text == expected)
        #expect(try await bridge.send(.post, "/db/_all_docs?channels=true&update_seq=true", json: #"{"keys":["a","b"]}"#).text == expected)
    }

    @Test("_all_docs has the collection's own channel; the unified list omits it where another channel has the same name")
    func ownChannel() async throws {
        let bridge = try await Bridge {
            $0.collections = [.init(name: CollectionName(scope: "s", name: "orders"))]
            $0.routes = [Route(to: CollectionName(scope: "s", name: "orders"), when: .idPrefix("o"))]
        }
        try await bridge.push(#"{"_id":"o","_rev":"1-x","channels":["red"]}"#)
        func channels(_ path: String) async throws -> [String?]? {
            let rows = try await bridge.send(.get, "\(path)/_all_docs?channels=true").json["rows"]?.array
            return rows?.first?["value"]?["channels"]?.array?.map(\.string)
        }
        #expect(try await channels("/db") == ["red"])
        #expect(try await channels("/db.s.orders") == ["orders", "red"])
    }

    @Test("_all_docs with access has the grantees of the sync function's grants")
    func access() async throws {
        let bridge = try await Bridge {
            $0.collections = [
                .init(name: .default, syncFunction: #"function (doc) { access(doc.to, ["red", "blue"]); access("role:r", "red") }"#)
            ]
        }
        try await bridge.push(#"{"_id":"a","_rev":"1-x","to":"ann"}"#)
        let rows = try await bridge.send(.get, "/db/_all_docs?access=true").json["rows"]?.array
        #expect(
            rows?.first?["value"]?["access"]
                == .object([
                    JSONMember("ann", .array([.string("blue"), .string("red")])), JSONMember("role:r", .array([.string("red")])),
                ]))
    }

    @Test("A selector filters rows, and a malformed one is refused with 400")
    func selector() async throws {
        let bridge = try await Bridge()
        try await bridge.push(
            #"{"_id":"a","_rev":"1-x","type":"order"}"#, #"{"_id":"b","_rev":"1-x","type":"note"}"#,
            #"{"_id":"c","_rev":"1-x","type":"order"}"#)
        let answer = try await bridge.send(
            .post, "/db/_changes?filter=_selector&since=0", json: #"{"selector":{"type":"order"}}"#)
        #expect(try answer.json["results"]?.array?.map { $0["id"]?.string } == ["a", "c"])
        let byID = try await bridge.send(.post, "/db/_changes?filter=_selector", json: #"{"selector":{"_id":{"$gt":"b"}}}"#)
        #expect(try byID.json["results"]?.array?.map { $0["id"]?.string } == ["c"])
        #expect(try await bridge.send(.post, "/db/_changes?filter=_selector", json: #"{"selector":{"a":{"$bogus":1}}}"#).status == 400)
        #expect(try await bridge.send(.post, "/db/_changes?filter=_selector", json: "{}").status == 400)
        #expect(try await bridge.send(.get, "/db/_changes?filter=_design").json["results"]?.array?.isEmpty == true)
    }
}
