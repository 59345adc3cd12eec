import Foundation
import HTTP
import NIOSSL
import TestSupport
import Testing

@Suite("SIGHUP", .timeLimit(.minutes(5)))
struct HangupTests {
    private static let loaded = "configuration reloaded"

    private func write(
        _ folder: TemporaryFolder, listen: String = "", databases: [String] = ["shop"], _ lines: String = ""
    ) throws -> String {
        let sections = databases.map { "  \($0):\n    store: \($0).dualgauge\n    guest: { enabled: true, channels: [\"*\"] }\n" }
        return try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\"\(listen) }\ndatabases:\n\(sections.joined())\(lines)",
            to: "dualgauge.yaml")
    }

    private func status(_ program: Program, _ path: String) async throws -> Int {
        let socket = try RawSocket(port: program.port)
        defer { socket.cut() }
        return try await socket.ask("GET", path).status
    }

    @Test("SIGHUP reads the file again: databases are added and removed, a bad file is refused, addresses wait for a restart")
    func configuration() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try write(folder))
        #expect(try await status(program, "/second/") == 404)
        _ = try write(folder, databases: ["shop", "second"])
        #expect(try await program.reload(until: Self.loaded).contains("added=second"))
        #expect(try await status(program, "/second/") == 200)
        _ = try write(folder, databases: ["shop"], "    rotues: []\n")
        let refusal = try await program.reload(until: "refused", Self.loaded)
        #expect(refusal.contains("the old one stays in effect") && refusal.contains("databases.shop.rotues"), "\(refusal)")
        #expect(try await status(program, "/second/") == 200)
        _ = try folder.write(
            "listen: { public: \"127.0.0.1:1\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n",
            to: "dualgauge.yaml")
        #expect(try await program.reload(until: "next start", Self.loaded).contains("listen.public"))
        try await eventually { try await status(program, "/second/") == 404 }
        await program.kill()
    }

    @Test("New connections get the new certificate, old connections go on; invalid files are refused")
    func certificates() async throws {
        let folder = try TemporaryFolder()
        func put(_ pem: TestCertificates.PEM, key: TestCertificates.PEM? = nil) throws {
            _ = try folder.write(pem.certificate, to: "server.pem")
            _ = try folder.write((key ?? pem).key, to: "server.key")
        }
        func connect(_ pem: TestCertificates.PEM, _ port: Int) async throws -> any WebSocketConnection {
            var options = WebSocketClient.Options()
            options.tls.trust = .pinned(try NIOSSLCertificate(bytes: Array(pem.certificate.utf8), format: .pem))
            return try await WebSocketClient.connect(to: "wss://127.0.0.1:\(port)/shop/_changes?feed=websocket", options: options)
                .connection
        }
        try put(TestCertificates.first)
        let program = try await Program(serving: try write(folder, listen: ", tls: { certificate: server.pem, key: server.key }"))
        let old = try await connect(TestCertificates.first, program.port)
        try put(TestCertificates.second, key: TestCertificates.first)
        #expect(try await program.reload(until: "refused", Self.loaded).contains("listen.tls"))
        try await connect(TestCertificates.first, program.port).drop()
        try put(TestCertificates.second)
        #expect(try await program.reload(until: "refused", Self.loaded).contains("certificate=renewed"))
        try await connect(TestCertificates.second, program.port).drop()
        await #expect(throws: (any Error).self) { try await connect(TestCertificates.first, program.port).drop() }
        try await old.send(.text("{}"))
        #expect(try await old.receive() != nil)
        old.drop()
        await program.kill()
    }
}
