import BLIP
import Documents
import Testing

@Suite("Clients of all generations on one document")
struct VersionConvergenceTests {
    private static let ours = "AAAAAAAAAAAAAAAAAAAAAA"

    @Test("A 4.x, a 3.x, a 2.x and a 1.x client edit a document in turn, and all get the same revision")
    func converge() async throws {
        try await RunningBridge.run { bridge in
            // 4.x creates it.
            try await push4(bridge, "100@\(Self.ours)", history: nil, #"{"n":1}"#)
            // 3.x edits the received revision.
            let first = try await revision(bridge, "BLIP_3+CBMobile_3")
            try await push(bridge, "BLIP_3+CBMobile_3", "2-" + String(repeating: "c", count: 40), after: [first], #"{"n":2}"#)
            // 2.x edits it.
            let second = try await revision(bridge, "BLIP_3+CBMobile_2")
            #expect(second == "2-" + String(repeating: "c", count: 40))
            try await push(bridge, "BLIP_3+CBMobile_2", "3-" + String(repeating: "d", count: 40), after: [second, first], #"{"n":3}"#)
            // 4.x has not seen that, and must not overwrite it.
            let refused = try await tryPush4(bridge, "200@\(Self.ours)", history: nil, #"{"n":"lost"}"#)
            #expect(refused.errorCode == 409)
            // 1.x edits it.
            let edited = try await bridge.ask("PUT", "/shop/doc?rev=3-" + String(repeating: "d", count: 40), #"{"n":4}"#)
            #expect(edited.status == 201, "\(edited.text)")
            // 4.x pulls a version that includes its own, and edits it.
            let pulled = try await pull4(bridge)
            let vector = try VersionHistory(rev: pulled.properties["rev"] ?? "", history: pulled.properties["history"])
            #expect(vector.legacy.isEmpty && String(decoding: pulled.body, as: UTF8.self) == #"{"n":4}"#)
            #expect(try vector.vector.contains(VersionVector("100@\(Self.ours)")))
            try await push4(bridge, "300@\(Self.ours)", history: vector.vector.current.description, #"{"n":5}"#)
            // All have the same revision.
            let document = try JSONValue(Array(try await bridge.ask("GET", "/shop/doc?revs=true&conflicts=true").text.utf8))
            #expect(document["n"]?.int == 5 && document["_conflicts"] == nil)
            #expect(document["_revisions"]?["ids"]?.array?.count == 5)
            for subprotocol in ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"] {
                let message = try #require(try await RawBLIP(bridge, subprotocol).pull()["doc"])
                #expect(message.properties["rev"] == document["_rev"]?.string && message.properties["rev"]?.hasPrefix("5-") == true)
                #expect(String(decoding: message.body, as: UTF8.self) == #"{"n":5}"#)
            }
            let last = try await pull4(bridge)
            #expect(last.properties["rev"] == "300@\(Self.ours)" && last.properties["history"] == vector.vector.current.description)
            try await bridge.expectSound(after: "edits of all generations")
        }
    }

    @Test("4.x clients see a conflict of 1.x branches as a single branch, and their resolution closes no branch that is open elsewhere")
    func branches() async throws {
        try await RunningBridge.run { bridge in
            try await push4(bridge, "100@\(Self.ours)", history: nil, #"{"n":1}"#)
            let first = try await revision(bridge, "BLIP_3+CBMobile_3")
            for (revision, value) in [("2-aa", "a"), ("2-bb", "b")] {
                let body = """
                    {"new_edits":false,"docs":[{"_id":"doc","_rev":"\(revision)","n":"\(value)",
                    "_revisions":{"start":2,"ids":["\(revision.dropFirst(2))","\(first.dropFirst(2))"]}}]}
                    """
                #expect(try await bridge.ask("POST", "/shop/_bulk_docs", body).status == 201)
            }
            let pulled = try await pull4(bridge)
            #expect(String(decoding: pulled.body, as: UTF8.self) == #"{"n":"b"}"#)
            let version = pulled.properties["rev"] ?? ""
            try await push4(bridge, "200@\(Self.ours)", history: version, #"{"n":"resolved"}"#)
            let document = try JSONValue(Array(try await bridge.ask("GET", "/shop/doc?conflicts=true").text.utf8))
            #expect(document["n"]?.string == "resolved" && document["_conflicts"]?.array?.compactMap(\.string) == ["2-aa"])
        }
    }

    @Test("A deletion is replicated in both directions")
    func deletions() async throws {
        try await RunningBridge.run { bridge in
            try await push4(bridge, "100@\(Self.ours)", history: nil, #"{"n":1}"#)
            try await push4(bridge, "200@\(Self.ours)", history: nil, "{}", isDeleted: true)
            #expect(try await bridge.ask("GET", "/shop/doc").status == 404)
            let tombstone = try await revision(bridge, "BLIP_3+CBMobile_3")
            #expect(tombstone.hasPrefix("2-"))
            try await push(bridge, "BLIP_3+CBMobile_3", "3-" + String(repeating: "c", count: 40), after: [tombstone], #"{"n":3}"#)
            let back = try await pull4(bridge)
            #expect(back.properties["deleted"] == nil && back.properties["history"] == "200@\(Self.ours)")
            let current = try await revision(bridge, "BLIP_3+CBMobile_3")
            #expect(try await bridge.ask("DELETE", "/shop/doc?rev=\(current)").status == 200)
            #expect(try await pull4(bridge).properties["deleted"] == "1")
        }
    }

    // MARK: Clients

    private func connect4(_ bridge: RunningBridge) async throws -> RawBLIP {
        let client = try await RawBLIP(bridge, "BLIP_3+CBMobile_4")
        _ = try await client.ask(
            "getCollections", ["uuid": "00000000-0000-0000-0000-000000000000"], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
        return client
    }

    private func pull4(_ bridge: RunningBridge) async throws -> BLIPMessage {
        try #require(try await RawBLIP(bridge, "BLIP_3+CBMobile_4").pull("_default")["doc"])
    }

    private func push4(_ bridge: RunningBridge, _ version: String, history: String?, _ body: String, isDeleted: Bool = false) async throws {
        let reply = try await tryPush4(bridge, version, history: history, body, isDeleted: isDeleted)
        #expect(reply.type == .reply, "\(reply.errorMessage ?? "")")
    }

    private func tryPush4(
        _ bridge: RunningBridge, _ version: String, history: String?, _ body: String, isDeleted: Bool = false
    ) async throws -> BLIPMessage {
        var properties: BLIPProperties = ["collection": "0", "id": "doc", "rev": version, "sequence": "1", "noconflicts": "1"]
        if let history { properties.add("history", history) }
        if isDeleted { properties.add("deleted", "1") }
        return try await connect4(bridge).ask("rev", properties, body)
    }

    private func revision(_ bridge: RunningBridge, _ subprotocol: String) async throws -> String {
        let message = try #require(try await RawBLIP(bridge, subprotocol).pull()["doc"])
        return try #require(message.properties["rev"])
    }

    private func push(_ bridge: RunningBridge, _ subprotocol: String, _ revision: String, after: [String], _ body: String) async throws {
        let properties: BLIPProperties = ["id": "doc", "rev": revision, "history": after.joined(separator: ","), "sequence": "1"]
        let reply = try await RawBLIP(bridge, subprotocol).ask("rev", properties, body)
        #expect(reply.type == .reply, "\(reply.errorMessage ?? "")")
    }
}
