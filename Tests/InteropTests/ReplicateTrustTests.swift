import Foundation
import TestSupport
import Testing

@Suite("The command line: replicate over TLS", .timeLimit(.minutes(5)))
struct ReplicateTrustTests {
    private func serve(_ folder: TemporaryFolder, _ pem: TestCertificates.PEM) async throws -> Program {
        _ = try folder.write(pem.certificate, to: "server.pem")
        _ = try folder.write(pem.key, to: "server.key")
        let program = try await Program(
            serving: try folder.write(
                """
                listen: { public: "127.0.0.1:0", admin: "127.0.0.1:0", tls: { certificate: server.pem, key: server.key } }
                databases: { shop: { store: shop.dualgauge, guest: { enabled: true, channels: ["*"] } } }
                """, to: "dualgauge.yaml"))
        let socket = try RawSocket(port: program.adminPort)
        defer { socket.cut() }
        #expect(try await socket.ask("PUT", "/shop/doc", "{}").status == 201)
        return program
    }

    @Test("--pinned-cert: that one server, whatever its name, by either protocol; none without it", arguments: ["https", "wss"])
    func pinned(scheme: String) async throws {
        let folder = try TemporaryFolder()
        let server = try await serve(folder, TestCertificates.first)
        let other = try folder.write(TestCertificates.second.certificate, to: "other.pem")
        let call = ["replicate", "--from", "\(scheme)://127.0.0.1:\(server.port)/shop", "--to", "\(folder.path)/copy.dualgauge", "--pull"]
        for (options, code) in [([], 3), (["--pinned-cert", other], 3), (["--pinned-cert", "\(folder.path)/server.pem"], 0)] {
            let result = try await Program.run(call + options + ["--json"])
            #expect(result.code == code, "\(options) \(result.errors)")
            #expect(result.output.contains(#""event":"end","pushed":0,"pulled":\#(code == 0 ? 1 : 0),"#), "\(result.output)")
        }
        await server.kill()
    }

    @Test("--self-signed-only: a server that has signed for itself, by either protocol", arguments: ["https", "wss"])
    func selfSigned(scheme: String) async throws {
        let folder = try TemporaryFolder()
        let server = try await serve(folder, TestCertificates.selfSigned)
        let call = ["replicate", "--from", "\(scheme)://127.0.0.1:\(server.port)/shop", "--to", "\(folder.path)/copy.dualgauge", "--pull"]
        for (options, code) in [([], 3), (["--self-signed-only"], 0)] {
            let result = try await Program.run(call + options)
            #expect(result.code == code, "\(options) \(result.errors)")
        }
        await server.kill()
    }
}
