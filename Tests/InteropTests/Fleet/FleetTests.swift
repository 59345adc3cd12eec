import Documents
import Foundation
import TestSupport
import Testing

@Suite("The fleet, by the admin port and by the command line", .serialized)
struct FleetTests {
    private static let agent = "User-Agent: CouchbaseLite/1.4.1 (Android)\r\n"

    /// A bridge with which an old client has replicated in both directions.
    private func run(_ body: @Sendable (RunningBridge) async throws -> Void) async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.ask("PUT", "/shop/a", "{}", headers: Self.agent).status == 201)
            let pull = #"{"lastSequence":"1000000000"}"#
            #expect(try await bridge.ask("PUT", "/shop/_local/pull", pull, headers: Self.agent).status == 201)
            #expect(try await bridge.ask("PUT", "/shop/_local/push", #"{"lastSequence":"7"}"#, headers: Self.agent).status == 201)
            try await body(bridge)
        }
    }

    @Test("The endpoint has each client's user, software, time and position")
    func endpoint() async throws {
        try await run { bridge in
            let answer = try await bridge.admin("GET", "/shop/_fleet")
            #expect(answer.status == 200, "\(answer.text)")
            let json = try answer.json
            let client = try #require(json["clients"]?.array?.first)
            #expect(json["total"]?.int == 1 && json["complete"]?.bool == true)
            #expect(client["client"]?.string == "Couchbase Lite 1.4.1 (Android)")
            #expect(client["version"]?.string == "1.4.1" && client["generation"]?.int == 1)
            #expect(client["devices"]?.int == 1 && client["checkpoints"]?.int == 2 && client["behind"]?.int == 1)
            #expect(client["user"]?.string == "" && client["feeds"]?.array?.count == 2)
            #expect(json["generations"]?.array?.first?["clients"]?.int == 1)
            #expect(json["days"]?.array?.first?["checkpoints"]?.int == 2)
            #expect(try await bridge.admin("GET", "/shop/_fleet?generation=3").json["clients"]?.array?.isEmpty == true)
            #expect(try await bridge.admin("GET", "/shop/_fleet?limit=0").json["clients"]?.array?.isEmpty == true)
            #expect(try await bridge.admin("GET", "/shop/_fleet?since=2020-01-01").json["since"]?.string == "2020-01-01T00:00:00Z")
            for bad in ["generation=4", "generation=x", "limit=1001", "limit=-1", "skip=-1", "since=x", "since=30", "since=-3d"] {
                #expect(try await bridge.admin("GET", "/shop/_fleet?\(bad)").status == 400, "\(bad)")
            }
        }
    }

    @Test("A hostile name is returned as data")
    func hostile() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let agent = "User-Agent: <img src=x onerror=alert(1)>\"\u{1b}[31m\r\n"
            // A header's value cannot have a control character; the rest of the name is sent.
            #expect(try await bridge.ask("PUT", "/shop/_local/a", "{}", headers: agent).status == 400)
            let markup = "User-Agent: <img src=x onerror=alert(1)>\"\r\n"
            #expect(try await bridge.ask("PUT", "/shop/_local/a", "{}", headers: markup).status == 201)
            let answer = try await bridge.admin("GET", "/shop/_fleet")
            #expect(answer.head.lowercased().contains("content-type: application/json"))
            #expect(try answer.json["clients"]?.array?.first?["client"]?.string == "<img src=x onerror=alert(1)>\"")
        }
    }

    @Test("The command reads a bridge by URL or name, or a store, and reports errors")
    func command() async throws {
        try await run { bridge in
            let admin = "http://127.0.0.1:\(bridge.adminPort)"
            for arguments in [["\(admin)/shop"], ["shop", "--admin", admin], ["shop", "--admin", "\(admin)/"]] {
                let result = try await Program.run(["fleet"] + arguments)
                #expect(result.code == 0, "\(result.errors)")
                #expect(result.output.contains(": 1 client seen"))
                #expect(result.output.contains("Couchbase Lite 1.4.1 (Android)") && result.output.contains("(guest)"))
                #expect(result.output.contains("2 ############"))
            }
            let json = try await Program.run("fleet", "shop", "--admin", admin, "--json", "--generation", "1", "--since", "7d")
            #expect(try JSONValue(Array(json.output.utf8))["clients"]?.array?.count == 1)
            #expect(try await Program.run("fleet", "none", "--admin", admin).code == 2)
            #expect(try await Program.run("fleet", "shop", "--admin", admin, "--since", "yesterday").code == 2)
            #expect(try await Program.run("fleet", "shop", "--admin", admin, "--limit", "100000").code == 2)
            #expect(try await Program.run("fleet", "shop", "--admin", "http://127.0.0.1:1").code == 3)
            #expect(try await Program.run("fleet").code == 2)
        }
    }

    @Test("A store that is not served can be read")
    func store() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run(in: folder) { (bridge) async throws in
            #expect(try await bridge.ask("PUT", "/shop/_local/pull", "{}", headers: Self.agent).status == 201)
        }
        let result = try await Program.run("fleet", "\(try TestStores.location("\(folder.path)/shop.dualgauge"))")
        #expect(result.code == 0 && result.output.contains(": 1 client seen"), "\(result.errors)")
        #expect(try await Program.run("fleet", "\(folder.path)/none.dualgauge").code == 3)
    }
}
