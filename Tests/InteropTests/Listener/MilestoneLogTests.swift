import BLIP
import BridgeConfiguration
import Coordination
import Server
import TestSupport
import Testing

@Suite("Milestones in the log", .serialized, .timeLimit(.minutes(5)))
struct MilestoneLogTests {
    private final class Lines: Sendable {
        private let kept = Lock<[String]>([])

        var control: LogControl { LogControl { [self] line in kept.withLock { $0.append(line) } } }

        func count(_ text: String) -> Int { kept.withLock { $0.count { $0.contains(text) } } }

        func wait(for text: String) async {
            await eventually { count(text) > 0 }
        }
    }

    @Test("The first client of a generation is logged once")
    func clients() async throws {
        let lines = Lines()
        try await RunningBridge.run(logging: lines.control) { (bridge) async throws in
            for _ in 0..<2 {
                _ = try await bridge.ask("GET", "/shop/_local/abc", headers: "User-Agent: CouchbaseLite/1.3 (1.4.4/abc)\r\n")
            }
            #expect(lines.count("the first client of its generation") == 1)
            #expect(lines.count("info [CRUD] the first client of its generation since the start client=\"CouchbaseLite/1.3") == 1)
            _ = try await RawBLIP(bridge).ask("getCheckpoint", ["client": "c"])
            #expect(lines.count("generation=2") == 1)
            // Once for each start, for any number of configurations and removals of the database meanwhile.
            #expect(try await bridge.admin("PUT", "/shop/_config", #"{"guest":{"admin_channels":["*"]}}"#).status == 201)
            _ = try await bridge.ask("GET", "/shop/_local/abc", headers: "User-Agent: CouchbaseLite/1.3 (1.4.4/abc)\r\n")
            _ = try await RawBLIP(bridge).ask("getCheckpoint", ["client": "c"])
            #expect(lines.count("the first client of its generation") == 2)
        }
    }

    @Test("A replication that has caught up, and a migration that has finished, are logged", arguments: ["http", "ws"])
    func ends(_ scheme: String) async throws {
        let lines = Lines()
        try await RunningBridge.run { (there) async throws in
            try await RunningBridge.run(logging: lines.control) { (here) async throws in
                #expect(try await there.ask("PUT", "/shop/a", #"{"type":"order"}"#).status == 201)
                let body = #"{"remote":"\#(scheme)://127.0.0.1:\#(there.port)/shop","direction":"pull","continuous":true}"#
                #expect(try await here.admin("PUT", "/shop/_replication/r", body).status == 201)
                await lines.wait(for: "info [Replicate] a replication has caught up")
                #expect(try await here.ask("GET", "/shop/a").status == 200)
                #expect(try await here.admin("POST", "/shop/_migrations", #"{"action":"start"}"#).status == 200)
                await lines.wait(for: "info [CRUD] a migration has finished")
            }
        }
    }
}
