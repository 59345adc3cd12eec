import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

@Suite("Collections", .timeLimit(.minutes(5)))
struct CollectionTests {
    private static func open(_ peer: TestPeer, _ names: [String]) async throws -> String {
        let ids = names.map { "\"cp-\($0)\"" }.joined(separator: ",")
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        let reply = try await peer.ask("getCollections", [:], "{\"checkpoint_ids\":[\(ids)],\"collections\":[\(list)]}")
        return reply.errorMessage ?? String(decoding: reply.body, as: UTF8.self)
    }

    @Test("getCollections returns checkpoints with rev and _rev, {} and null")
    func answers() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let first = try await Self.open(peer, ["sales.orders"])
            #expect(first == "[{}]")
            try await peer.ask("setCheckpoint", ["collection": "0", "client": "cp-sales.orders", "rev": ""], "{\"remote\":7}")
        }
        try await bridge.connect { peer in
            let all = try await Self.open(peer, ["sales.customers", "sales.orders", "sales.nope", "_default", "no%t.%allowed"])
            #expect(all == #"[{},{"rev":"0-1","_rev":"0-1","remote":7},null,{},null]"#)
        }
    }

    @Test("Each collection is pushed and pulled separately, and the unified keyspace has all documents")
    func separates() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            _ = try await Self.open(peer, ["sales.orders", "sales.customers"])
            let replies = try await peer.ask(all: [
                Requests.rev("x", "1-aaaa", "{\"in\":0}", collection: 0), Requests.rev("x", "1-bbbb", "{\"in\":1}", collection: 1),
            ])
            #expect(replies.allSatisfy { $0.type == .reply })
        }
        try await bridge.connect { peer in
            _ = try await Self.open(peer, ["sales.customers", "sales.orders"])
            try await peer.ask("subChanges", ["collection": "0"])
            try await peer.ask("subChanges", ["collection": "1"])
            try await peer.wait { $0.caughtUp == 2 && $0.revisions.count == 2 }
            let revisions = await peer.revisions.sorted { $0.revision < $1.revision }
            #expect(revisions.map { $0.properties["collection"] } == ["1", "0"])
            #expect(revisions.map(\.text) == ["{\"in\":0}", "{\"in\":1}"])
            let rows = await peer.changes.map(\.rows.count)
            #expect(rows == [1, 1])
        }
        try await bridge.connect { peer in
            try await peer.ask("subChanges")
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 2 }
            #expect(await Set(peer.revisions.map(\.id)).count == 2)
        }
    }

    @Test("Requests name a collection exactly if the client has named collections")
    func insists() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let early = try await peer.ask("getCheckpoint", ["client": "x", "collection": "0"])
            #expect(early.errorDomain == "HTTP" && early.errorCode == 400)
            _ = try await Self.open(peer, ["sales.orders", "sales.nope"])
            for index in [nil, "1", "2", "-1", "x", ""] as [String?] {
                var properties: BLIPProperties = ["client": "x"]
                if let index { properties.add("collection", index) }
                let reply = try await peer.ask("getCheckpoint", properties)
                #expect(reply.errorDomain == "HTTP" && reply.errorCode == 400)
            }
            let again = try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["a"],"collections":["_default"]}"#)
            #expect(again.errorCode == 400)
        }
        try await bridge.connect { peer in
            try await peer.ask("getCheckpoint", ["client": "x"])
            let late = try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["a"],"collections":["_default"]}"#)
            #expect(late.errorCode == 400)
        }
    }

    @Test(
        "Malformed getCollections requests are refused",
        arguments: [
            "", "{", "[]", "{}", #"{"checkpoint_ids":["a"],"collections":[]}"#, #"{"checkpoint_ids":[],"collections":["_default"]}"#,
            #"{"checkpoint_ids":["a","b"],"collections":["_default","_default._default"]}"#,
            #"{"checkpoint_ids":["a"],"collections":["a.b.c"]}"#,
            #"{"checkpoint_ids":["a"],"collections":[1]}"#, #"{"checkpoint_ids":["a"],"collections":[""]}"#,
        ])
    func refuses(body: String) async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let reply = try await peer.ask("getCollections", [:], body)
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == 400)
        }
    }
}
