import BridgeConfiguration
import Cutover
import Documents
import Server
import TestSupport
import Testing

@Suite("1.x clients that close the gate `oldClients`", .serialized, .timeLimit(.minutes(5)))
struct OldClientsTests {
    private static let phone = "User-Agent: CouchbaseLite/1.4.4 (Android)\r\n"

    private func gate(_ world: CutoverWorld) async throws -> JSONValue? {
        try await world.status()["gates"]?.array?.first { $0["name"]?.string == "oldClients" }
    }

    @Test("A device counts that has pushed and writes no checkpoint")
    func pushed() async throws {
        try await CutoverWorld.run {
            $0.firstStage = .complete
        } _: { (world) async throws in
            let docs = #"{"docs":[{"_id":"a"}]}"#
            #expect(try await gate(world)?["passed"]?.bool == true)
            #expect(try await world.new.ask("POST", "/shop/_bulk_docs", docs, headers: Self.phone).status == 201)
            let closed = try await gate(world)
            #expect(closed?["passed"]?.bool == false && closed?["measured"]?.int == 1)
            #expect(closed?["message"]?.string?.contains("1 1.x client has used the bridge within 30 days") == true)
            #expect(try await world.ask(#"{"action":"advance"}"#).status == 412)
            let client = try #require(try await world.new.admin("GET", "/shop/_fleet?generation=1").json["clients"]?.array?.first)
            #expect(client["client"]?.string == "Couchbase Lite 1.4.4 (Android)" && client["checkpoints"]?.int == 0)
            #expect(client["last_address"]?.string == "127.0.0.1" && client["addresses"]?.int == 1 && client["open_feeds"]?.int == 0)
        }
    }

    @Test(
        "An open feed closes the gate while it is open, for any quiet time",
        arguments: ["longpoll", "continuous"])
    func openFeed(kind: String) async throws {
        try await CutoverWorld.run {
            $0.firstStage = .complete
            $0.limits.oldClientsQuietFor = 0
        } _: { (world) async throws in
            let socket = try world.new.connect()
            try await socket.send("GET /shop/_changes?feed=\(kind)&heartbeat=100000 HTTP/1.1\r\nHost: a\r\n\(Self.phone)\r\n")
            try await eventually { try await gate(world)?["passed"]?.bool != true }
            #expect(try await gate(world)?["message"]?.string?.contains("1 feed is open now") == true)
            #expect(try await world.ask(#"{"action":"advance"}"#).status == 412)
            socket.cut()
            while try await gate(world)?["passed"]?.bool == false {
                // The bridge detects the client's disconnection when it writes.
                _ = try await world.new.admin("PUT", "/shop/wake", "{}")
            }
            try await world.step(.advance, to: .sunset)
        }
    }

    @Test("Administrators, health checks, failed logins and missing pages do not count")
    func others() async throws {
        try await CutoverWorld.run {
            $0.firstStage = .complete
        } _: { (world) async throws in
            let new = world.new
            #expect(try await new.admin("PUT", "/shop/a", "{}").status == 201)
            #expect(try await new.admin("GET", "/shop/_changes").status == 200)
            for path in ["/_ping", "/", "/shop/", "/shop/_session"] { #expect(try await new.ask("GET", path).status == 200, "\(path)") }
            #expect(try await new.ask("GET", "/shop/_changes", headers: basic("nobody", "wrong")).status == 401)
            for path in ["/shop/wp-login.php", "/shop/_all_dbs", "/shop/_local/none"] {
                #expect(try await new.ask("GET", path).status == 404, "\(path)")
            }
            #expect(try await new.ask("OPTIONS", "/shop/_changes").status == 204)
            #expect(try await gate(world)?["measured"]?.int == 0)
            #expect(try await new.admin("GET", "/shop/_fleet").json["total"]?.int == 0)
            try await world.step(.advance, to: .sunset)
        }
    }

    @Test("The bridge counts earlier clients after a restart")
    func restart() async throws {
        let folder = try TemporaryFolder()
        try await CutoverWorld.withOld { old in
            let atTheEnd: @Sendable (inout CutoverConfiguration) -> Void = { $0.firstStage = .complete }
            try await CutoverWorld.run(over: old, in: folder, atTheEnd) { (world) async throws in
                #expect(try await world.new.ask("PUT", "/shop/a", "{}", headers: Self.phone).status == 201)
            }
            try await CutoverWorld.run(over: old, in: folder, atTheEnd) { (world) async throws in
                #expect(try await gate(world)?["measured"]?.int == 1)
            }
        }
    }
}
