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

    @Test(
        "--pinned-cert trusts one server by its certificate, under any name and by either protocol; without it none is trusted",
        arguments: ["https", "wss"])
    func pinned(scheme: String) async throws {
        let folder = try TemporaryFolder()
        let server = try await serve(folder, TestCertificates.first)
        let other = try folder.write(TestCertificates.second.certificate, to: "other.pem")
        let call = ["replicate", "--from", "\(scheme)://127.0.0.1:\(server.port)/shop", "--to", "\(folder.path)/copy.dualgauge", "--pull"]
        for (options, code) in [
            ([], 3), (["--pinned-cert", other], 3), (["--pinned-cert", "\(folder.path)/server.pem"], 0),
            // Only the pinned certificate counts then.
            (["--pinned-cert", "\(folder.path)/server.pem", "--self-signed-only"], 0),
        ] {
            let result = try await Program.run(call + options + ["--json"])
            #expect(result.code == code, "\(options) \(result.errors)")
            #expect(
                result.output.contains(#""event":"end","pushed":0,"pulled":\#(code == 0 && options.count == 2 ? 1 : 0),"#),
                "\(result.output)")
        }
        await server.kill()
    }

    @Test("--proxy sends all traffic through the proxy, with a login where the proxy needs one", arguments: ["https", "wss"])
    func proxy(scheme: String) async throws {
        let folder = try TemporaryFolder()
        let server = try await serve(folder, TestCertificates.first)
        let proxy = try await ConnectProxy(authorization: "Basic bWU6c2VjcmV0")
        let call = [
            "replicate", "--from", "\(scheme)://localhost:\(server.port)/shop", "--to", "\(folder.path)/copy.dualgauge", "--pull",
            "--pinned-cert", "\(folder.path)/server.pem", "--max-attempts", "1",
        ]
        let open = try await Program.run(call + ["--proxy", "http://me:secret@127.0.0.1:\(proxy.port)"])
        #expect(open.code == 0 && open.output.contains("pulled 1"), "\(open.output) \(open.errors)")
        #expect(Set(proxy.targets) == ["localhost:\(server.port)"])
        let refused = try await Program.run(call + ["--proxy", "http://me:public@127.0.0.1:\(proxy.port)"])
        #expect(refused.code == 2 && refused.errors.contains("proxy") && refused.errors.contains("password"), "\(refused.errors)")
        #expect(!refused.errors.contains("public"))
        let wrong = try await Program.run(call + ["--proxy", "127.0.0.1:\(proxy.port)"])
        #expect(wrong.code != 0 && wrong.errors.contains("http://host:port"), "\(wrong.errors)")
        let port = proxy.port
        try await proxy.stop()
        let gone = try await Program.run(call + ["--proxy", "http://127.0.0.1:\(port)"])
        #expect(gone.code == 3, "\(gone.errors)")
        await server.kill()
    }

    @Test("--self-signed-only accepts a self-signed server, by either protocol", arguments: ["https", "wss"])
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
