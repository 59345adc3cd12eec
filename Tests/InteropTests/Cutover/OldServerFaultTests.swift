import BridgeConfiguration
import Coordination
import Cutover
import Documents
import HTTPTypes
import HummingbirdCore
import NIOCore
import SQLiteStorage
import Server
import Storage
import TestSupport
import Testing

@Suite(
    "Faults of the network, the proxy and the database of an old server at `dual`", .enabled(if: !TestStores.arePostgreSQL), .serialized,
    .timeLimit(.minutes(5)))
struct OldServerFaultTests {
    /// A bridge at `dual` that reaches its old server through an open proxy.
    private func run(over proxy: TestProxy, _ body: @Sendable (RunningBridge) async throws -> Void) async throws {
        try await CutoverWorld.withBridge(behind: proxy) {
            $0.firstStage = .dual
        } _: {
            try await body($0)
        }
    }

    private func write(_ ids: [String], on server: RunningBridge) async throws {
        for id in ids { try await CutoverWorld.write(id, on: server) }
    }

    private func gate(_ bridge: RunningBridge) async throws -> JSONValue? {
        try await bridge.admin("GET", "/shop/_cutover").json["gates"]?.array?.first { $0["name"]?.string == "lag" }
    }

    private func wait(for bridge: RunningBridge, _ condition: (JSONValue?) -> Bool) async throws {
        try await eventually { try await condition(gate(bridge)) }
    }

    private func metric(_ name: String, _ bridge: RunningBridge) async throws -> Int? {
        let line = #"\#(name){database="shop",replication="legacy"} "#
        let text = try await bridge.admin("GET", "/metrics").text
        return text.split(separator: "\n").first { $0.hasPrefix(line) }.flatMap { Int($0.dropFirst(line.utf8.count)) }
    }

    @Test("A proxy that replies in place of the old server only closes the gate: writes of that time are replicated both ways")
    func proxyAnswers() async throws {
        let statuses = [404, 401, 403, 410, 400, 405, 413, 415, 301, 200]
        let count = Lock(0)
        try await FakeServer.run { _, _ in
            let status = count.withLock { count in
                count += 1
                return statuses[count % statuses.count]
            }
            return Response(
                status: .init(code: status), headers: [.contentType: "text/html"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "<html></html>")))
        } _: { _, url in
            let between = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            try await RunningBridge.runOld { old in
                let proxy = try TestProxy(to: old.port)
                defer { proxy.end() }
                proxy.open()
                try await run(over: proxy) { bridge in
                    try await write(["a", "b"], on: old)
                    try await bridge.converge(with: old, 2)
                    try await wait(for: bridge) { $0?["passed"]?.bool == true }
                    proxy.redirect(to: between)
                    proxy.close()
                    proxy.open()
                    try await wait(for: bridge) { $0?["passed"]?.bool == false }
                    let message = try await gate(bridge)?["message"]?.string ?? ""
                    #expect(message.contains("proxy"), "\(message)")
                    #expect(try await metric("dualgauge_replication_held_up", bridge) == 1)
                    let status = try await bridge.admin("GET", "/shop/_replicationStatus/legacy").json["status"]?.string
                    #expect(status == "reconnecting" || status == "running")
                    try await write(["c"], on: old)
                    try await write(["d"], on: bridge)
                    proxy.redirect(to: old.port)
                    proxy.close()
                    proxy.open()
                    try await bridge.converge(with: old, 4)
                    try await wait(for: bridge) { $0?["passed"]?.bool == true }
                    #expect(try await metric("dualgauge_replication_held_up", bridge) == 0)
                    let after = try await bridge.admin("GET", "/shop/_replicationStatus/legacy").json
                    #expect(try await metric("dualgauge_replication_restored_servers_total", bridge) == 0, "\(after)")
                }
            }
        }
    }

    /// The event during the restore of the old server.
    enum Way: CaseIterable, Sendable {
        /// The connection is closed, and new connections reach the restored server at once.
        case cut
        /// As ``cut``, with an immediate write at the bridge.
        case cutAndWritten
        /// No server replies for a while.
        case down
        /// Open connections stay open without a peer; new ones reach the restored server.
        case empty
    }

    @Test("A restored old server gets its lost revisions again, and its new documents are pulled", arguments: Way.allCases)
    func restored(way: Way) async throws {
        let (folder, backup) = (try TemporaryFolder(), try TemporaryFolder())
        try await RunningBridge.runOld(in: folder) { old in
            let proxy = try TestProxy(to: old.port)
            defer { proxy.end() }
            proxy.open()
            try await run(over: proxy) { bridge in
                try await write((0..<5).map { "old\($0)" }, on: old)
                try await write((0..<5).map { "here\($0)" }, on: bridge)
                try await bridge.converge(with: old, 10)
                if way != .empty {
                    try await #require(old.store as? SQLiteStore).backup(to: "\(backup.path)/backup")
                    try SQLiteStore.restore(from: "\(backup.path)/backup", to: "\(backup.path)/shop.dualgauge")
                }
                try await write((5..<10).map { "old\($0)" }, on: old)
                try await write((5..<10).map { "here\($0)" }, on: bridge)
                try await bridge.converge(with: old, 20)
                try await wait(for: bridge) { $0?["passed"]?.bool == true }
                try await RunningBridge.runOld(in: backup) { restored in
                    try await write(["new"], on: restored)
                    if way == .down { proxy.close() }
                    if way == .down { try await wait(for: bridge) { $0?["passed"]?.bool == false } }
                    proxy.redirect(to: restored.port)
                    proxy.close()
                    proxy.open()
                    if way == .cutAndWritten { try await write(["later"], on: bridge) }
                    try await bridge.converge(with: restored, way == .cutAndWritten ? 22 : 21)
                    try await wait(for: bridge) { $0?["passed"]?.bool == true }
                    #expect(try await metric("dualgauge_replication_restored_servers_total", bridge) == 1)
                    let status = try await bridge.admin("GET", "/shop/_replicationStatus/legacy").json
                    #expect(status["server_restored"]?.int == 1, "\(status)")
                    // From then on it is an ordinary old server.
                    try await write(["x"], on: restored)
                    try await write(["y"], on: bridge)
                    try await bridge.converge(with: restored, way == .cutAndWritten ? 24 : 23)
                }
            }
        }
    }
}
