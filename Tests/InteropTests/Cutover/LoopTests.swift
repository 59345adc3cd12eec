import BridgeConfiguration
import Cutover
import Documents
import Gateway
import Server
import TestSupport
import Testing

@Suite("Bridges that are their own old server", .timeLimit(.minutes(5)))
struct LoopTests {
    /// Waits until the status of a replication has this text.
    private func awaitStatus(_ text: String, _ bridge: RunningBridge, _ replication: String) async throws {
        try await eventually { try await bridge.admin("GET", "/shop/_replicationStatus/\(replication)").text.contains(text) }
    }

    @Test("A loop to its own public port through a proxy is reported by the replication and the gate, and devices do not wait")
    func itself() async throws {
        let proxy = try TestProxy(to: 1)
        defer { proxy.end() }
        try await CutoverWorld.withBridge(behind: proxy) { bridge in
            proxy.redirect(to: bridge.port)
            proxy.open()
            _ = try await bridge.admin("PUT", "/shop/_replicationStatus/legacy?action=stop")
            _ = try await bridge.admin("PUT", "/shop/_replicationStatus/legacy?action=start")
            try await awaitStatus("has come back to the database shop", bridge, "legacy")
            #expect(try await bridge.ask("GET", "/shop/_local/c").status == 404)
            #expect(try await bridge.ask("PUT", "/shop/_local/c", #"{"lastSequence":"1"}"#).status == 201)
            #expect(try await bridge.ask("GET", "/shop/_local/c").status == 200)
        }
    }

    @Test("A loop to its own ports is reported, by both protocols", arguments: ["http", "ws"], [true, false])
    func ownPorts(scheme: String, isAdmin: Bool) async throws {
        try await RunningBridge.run { bridge in
            let port = isAdmin ? bridge.adminPort : bridge.port
            let body = #"{"remote":"\#(scheme)://127.0.0.1:\#(port)/shop","direction":"pushAndPull","continuous":true}"#
            #expect(try await bridge.admin("PUT", "/shop/_replication/r", body).status == 201)
            try await awaitStatus(scheme == "http" ? "has come back to the database shop" : "508", bridge, "r")
        }
    }

    @Test("A loop of two bridges is reported by both, and devices of both do not wait")
    func eachOther() async throws {
        let (one, two) = (try TestProxy(to: 1), try TestProxy(to: 1))
        defer {
            one.end()
            two.end()
        }
        try await CutoverWorld.withBridge(behind: one) { first in
            try await CutoverWorld.withBridge(behind: two) { second in
                one.redirect(to: second.port)
                two.redirect(to: first.port)
                one.open()
                two.open()
                for bridge in [first, second] {
                    _ = try await bridge.admin("PUT", "/shop/_replicationStatus/legacy?action=stop")
                    _ = try await bridge.admin("PUT", "/shop/_replicationStatus/legacy?action=start")
                }
                for bridge in [first, second] {
                    try await awaitStatus("508", bridge, "legacy")
                    #expect(try await bridge.ask("GET", "/shop/_local/c").status == 404)
                }
            }
        }
    }

    @Test("A chain of bridges is no loop: a device's checkpoint is fetched from the far end, and documents are replicated through")
    func chain() async throws {
        try await CutoverWorld.run { world in
            let proxy = try TestProxy(to: world.new.port)
            defer { proxy.end() }
            proxy.open()
            #expect(try await world.old.ask("PUT", "/shop/_local/c", #"{"lastSequence":"7"}"#).status == 201)
            try await CutoverWorld.write("a", on: world.old)
            try await CutoverWorld.withBridge(behind: proxy) { last in
                #expect(try await last.ask("GET", "/shop/_local/c").text.contains("7"))
                try await CutoverWorld.arrive("a", at: last)
            }
        }
    }

    @Test("A malformed header is refused")
    func malformed() async throws {
        try await RunningBridge.run { bridge in
            for text in ["x", "", String(repeating: "a,", count: 20) + "a", String(repeating: "a", count: 65)] {
                let answer = try await bridge.ask("GET", "/shop", headers: "Dualgauge-Via: \(text)\r\n")
                #expect(answer.status == 400, "\(text) \(answer.text)")
            }
            #expect(try await bridge.ask("GET", "/shop", headers: "Dualgauge-Via: 0a1b, 2c\r\n").status == 200)
        }
    }
}
