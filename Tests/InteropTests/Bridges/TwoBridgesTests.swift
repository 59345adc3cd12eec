import BridgeConfiguration
import Documents
import Foundation
import Gateway
import Peers
import Stores
import TestSupport
import Testing

/// The whole path on PostgreSQL. The other suites run on it with `DUALGAUGE_TEST_STORE=postgresql`.
@Suite("Two bridges with one store in PostgreSQL", .timeLimit(.minutes(3)))
struct TwoBridgesTests {
    /// Runs two bridges with one store.
    private func withBridges(_ body: @escaping @Sendable (RunningBridge, RunningBridge) async throws -> Void) async throws {
        let store = try TestStores.postgreSQL(UUID().uuidString)
        try await RunningBridge.run(serving: { $0.store = store }) { first in
            try await RunningBridge.run(serving: { $0.store = store }) { try await body(first, $0) }
        }
    }

    private func revision(_ id: String, _ number: Int) throws -> PeerRevision {
        PeerRevision(
            id: id, history: (1...number).reversed().compactMap { RevisionID("\($0)-ab") }, body: Array(#"{"type":"order"}"#.utf8))
    }

    @Test("Clients of both generations push to one bridge and pull from the other")
    func documents() async throws {
        try await withBridges { first, second in
            try await LegacyPeer("\(first.url)/shop").push([revision("old", 3)])
            let modern = ModernPeer("ws://127.0.0.1:\(second.port)/shop", collections: ["sales.orders"])
            try await modern.replicate(push: ["sales.orders": [revision("new", 2)]])
            #expect(await modern.documents["sales.orders"]?.keys.map(\.string).sorted() == ["new", "old"])
            let legacy = LegacyPeer("\(first.url)/shop")
            try await legacy.pull()
            #expect(await legacy.documents["new"]?.revision.text == "2-ab")
            try await first.expectSound(after: "both generations")
        }
    }

    @Test("A write at one bridge wakes a waiting feed of the other, whose client goes on there at its position")
    func feed() async throws {
        try await withBridges { first, second in
            let start = try #require(try await first.ask("GET", "/shop/_changes").json["last_seq"])
            let since = start.string ?? String(start.int ?? 0)
            async let woken = second.ask("GET", "/shop/_changes?feed=longpoll&timeout=30000&since=\(since)")
            try await eventually {
                try await second.admin("GET", "/metrics").text.contains(#"dualgauge_open{database="shop",kind="longpoll"} 1"#)
            }
            #expect(try await first.ask("PUT", "/shop/a", "{}").status == 201)
            let rows = try await woken.json["results"]?.array?.compactMap { $0["id"]?.string }
            #expect(rows == ["a"])
        }
    }

    @Test("Users, sessions and rights hold at both bridges at once")
    func access() async throws {
        try await withBridges { first, second in
            let user = #"{"name":"anna","password":"secret","admin_channels":["a"]}"#
            #expect(try await first.admin("PUT", "/shop/_user/anna", user).status == 201)
            let login = basic("anna", "secret")
            #expect(try await second.ask("GET", "/shop/_changes", headers: login).status == 200)
            let session = try await first.admin("POST", "/shop/_session", #"{"name":"anna"}"#)
            let id = try #require(try session.json["session_id"]?.string)
            let cookie = "Cookie: SyncGatewaySession=\(id)\r\n"
            #expect(try await second.ask("GET", "/shop/_session", headers: cookie).json["userCtx"]?["name"]?.string == "anna")
            #expect(try await second.admin("DELETE", "/shop/_session/\(id)").status == 200)
            #expect(try await first.ask("GET", "/shop/_changes", headers: cookie).status == 401)
            #expect(try await second.admin("DELETE", "/shop/_user/anna").status == 200)
            #expect(try await first.ask("GET", "/shop/_changes", headers: login).status == 401)
        }
    }

    @Test("One bridge does the work that must run once, and the other one takes it over when it stops")
    func handOver() async throws {
        let store = try TestStores.postgreSQL(UUID().uuidString)
        try await RunningBridge.run(serving: { $0.store = store }) { second in
            #expect(try await works(second))
            // The first bridge has the lease; another one comes and goes.
            try await RunningBridge.run(serving: { $0.store = store }) { third in
                #expect(try await !works(third))
                let refused = try await third.admin("POST", "/shop/_migrations", #"{"action":"start"}"#)
                #expect(refused.status == 503 && refused.text.contains("The bridge "), "\(refused.text)")
                let bridges = try await third.admin("GET", "/_status").json["databases"]?["shop"]?["bridges"]?.array
                #expect(bridges?.count == 2)
                for path in ["_replication/", "_replicationStatus/", "_replication/x"] {
                    let answer = try await third.admin("GET", "/shop/\(path)")
                    #expect(answer.status == 503 && answer.text.contains("The bridge ") && answer["Retry-After"] != nil, "\(answer.text)")
                }
                try await expectListed(third)
                #expect(try await third.admin("GET", "/metrics").text.contains(#"dualgauge_bridges{database="shop"} 2"#))
            }
            try await eventually { try await second.admin("GET", "/_status").json["databases"]?["shop"]?["bridges"]?.array?.count == 1 }
        }
        try await RunningBridge.run(serving: { $0.store = store }) { (bridge) async throws in #expect(try await works(bridge)) }
    }

    /// Expects that `_fleet` and the command list two bridges, one of which works.
    private func expectListed(_ bridge: RunningBridge) async throws {
        let listed = try #require(try await bridge.admin("GET", "/shop/_fleet").json["bridges"]?.array)
        #expect(listed.compactMap { $0["works"]?.bool }.sorted { !$0 && $1 } == [false, true])
        #expect(listed.allSatisfy { $0["last_seen"]?.string != nil && $0["stopping"]?.bool == false && $0["clients"]?.int != nil })
        let shown = try await Program.run("fleet", "shop", "--admin", bridge.adminURL)
        #expect(shown.code == 0 && shown.output.contains("last sign of life"), "\(shown)")
        let lines = shown.output.split(separator: "\n").filter { $0.contains(" s ago") }
        #expect(lines.count == 2 && lines.filter { $0.contains("does the work") }.count == 1, "\(shown.output)")
        let json = try JSONValue(Array(try await Program.run("fleet", "shop", "--admin", bridge.adminURL, "--json").output.utf8.dropLast()))
        #expect(json["bridges"]?.array?.count == 2)
    }

    private func works(_ bridge: RunningBridge) async throws -> Bool {
        try await bridge.admin("GET", "/_status").json["databases"]?["shop"]?["works"]?.bool == true
    }
}
