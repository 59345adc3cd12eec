import Documents
import Foundation
import TestSupport
import Testing

/// SIGTERM to a bridge with `listen.drainTime`.
@Suite("Drain", .timeLimit(.minutes(3)))
struct DrainTests {
    private func config(_ folder: TemporaryFolder, _ drainTime: String, store: String = "shop.dualgauge") throws -> String {
        try folder.write(
            """
            listen: { public: "127.0.0.1:0", admin: "127.0.0.1:0", drainTime: \(drainTime) }
            databases:
              shop: { store: "\(store)", guest: { enabled: true, channels: ["*"] } }
            """, to: "dualgauge.yaml")
    }

    private func ready(_ program: Program) async throws -> Int {
        try await RawSocket(port: program.port).ask("GET", "/_ping?ready=true").status
    }

    private func status(_ program: Program) async throws -> JSONValue? {
        try await RawSocket(port: program.adminPort).ask("GET", "/_status").json["databases"]?["shop"]
    }

    @Test("It is not ready, serves on, and another bridge takes its work over; a second signal ends the drain and its connections in order")
    func handOver() async throws {
        let folder = try TemporaryFolder()
        let name = "d" + UUID().uuidString.prefix(8).lowercased()
        let config = try config(folder, "10m", store: "\(try TestPostgreSQL.url())&schema=\(name)")
        let first = try await Program(serving: config)
        try await eventually { try await status(first)?["works"]?.bool == true }
        let second = try await Program(serving: config)
        #expect(try await ready(first) == 200)
        #expect(try await status(second)?["works"]?.bool == false)
        let socket = try await RawWebSocket.open(port: first.port, "BLIP_3+CBMobile_3")
        first.signal(SIGTERM)
        try await eventually { try await ready(first) == 503 }
        #expect(try await RawSocket(port: first.port).ask("GET", "/_ping").status == 200)
        #expect(try await ready(second) == 200)
        try await eventually { try await status(second)?["works"]?.bool == true }
        let bridges = try #require(try await status(second)?["bridges"]?.array)
        #expect(bridges.map { $0["stopping"]?.bool == $0["works"]?.bool } == [false, false])
        // Everything is served, also new connections.
        #expect(try await RawSocket(port: first.port).ask("PUT", "/shop/a", "{}").status == 201)
        let refused = try await RawSocket(port: first.adminPort).ask("POST", "/shop/_migrations", #"{"action":"start"}"#)
        #expect(refused.status == 503, "\(refused.text)")
        let rows = try await RawSocket(port: first.port).ask("GET", "/shop/_changes").json
        let last = try #require(rows["last_seq"])
        async let feed = RawSocket(port: first.port).ask(
            "GET", "/shop/_changes?feed=longpoll&timeout=120000&since=\(last.string ?? String(last.int ?? 0))")
        try await eventually {
            try await RawSocket(port: first.adminPort).ask("GET", "/metrics").text.contains(#"kind="longpoll"} 1"#)
        }
        first.signal(SIGTERM)
        #expect(try await socket.closeCode() == 4001)
        #expect(try await feed.status == 200)
        #expect(await first.end() == 0)
        try await eventually { try await status(second)?["bridges"]?.array?.count == 1 }
        #expect(try await RawSocket(port: second.port).ask("GET", "/shop/a").status == 200)
        second.signal(SIGTERM)
        second.signal(SIGINT)
        #expect(await second.end() == 0)
    }

    @Test("The supervisor waits for a drain that is longer than its limit of a stop, and asks the service manager to wait, too")
    func patience() async throws {
        let folder = try TemporaryFolder()
        let manager = try ManagerSocket(in: folder)
        let program = try await Program(serving: try config(folder, "10m"), environment: ["NOTIFY_SOCKET": manager.path])
        // The time of the last configuration counts.
        _ = try config(folder, "10s")
        _ = try await program.reload(until: "configuration reloaded")
        _ = manager.notifications()
        let start = ContinuousClock.now
        program.signal(SIGTERM)
        try await eventually { try await ready(program) == 503 }
        #expect(try await RawSocket(port: program.port).ask("PUT", "/shop/a", "{}").status == 201)
        #expect(await program.end() == 0)
        #expect(ContinuousClock.now - start >= .seconds(10))
        #expect(manager.notifications().contains("EXTEND_TIMEOUT_USEC=25000000"))
    }
}
