import Authentication
import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes
import Logging
import NIOSSL
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import Server

/// Logins by client certificate over a real TLS socket: requests, and the handshake of a WebSocket.
@Suite("Client certificates at the public port", .serialized, .timeLimit(.minutes(5)))
struct CertificateSocketTests {
    private static func parsed(_ pem: TestCertificates.PEM) throws -> NIOSSLCertificate {
        try NIOSSLCertificate(bytes: Array(pem.certificate.utf8), format: .pem)
    }

    private static func identity(_ pem: TestCertificates.PEM) throws -> ClientTLS.Identity {
        ClientTLS.Identity(certificates: [try parsed(pem)], key: try NIOSSLPrivateKey(bytes: Array(pem.key.utf8), format: .pem))
    }

    /// Runs a bridge that asks clients for certificates, and has no guest.
    private func run(registers: Bool, _ body: @Sendable (_ port: Int) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        var configuration = ServerConfiguration()
        configuration.listen.publicAddress.port = 0
        configuration.listen.adminAddress.port = 0
        configuration.listen.tls = TLSFiles(
            certificate: try folder.write(TestCertificates.first.certificate, to: "server.pem"),
            key: try folder.write(TestCertificates.first.key, to: "server.key"),
            clientCA: try folder.write(TestCertificates.authority.certificate, to: "clients.pem"))
        configuration.databasesFolder = folder.url.appendingPathComponent("databases").path
        var served = ServerConfiguration.ServedDatabase(
            configuration: DatabaseConfiguration(name: "shop"), store: folder.url.appendingPathComponent("shop.dualgauge").path)
        var certificates = ClientCertificateConfiguration()
        certificates.registers = registers
        certificates.prefix = "device "
        served.authenticators.clientCertificate = certificates
        configuration.databases = [served]
        let bridge = try await Bridge.open(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let serving = Task {
            defer { port.finish() }
            try await bridge.serve { publicPort, _ in port.yield(publicPort) }
        }
        let result: Result<Void, any Error>
        do {
            let port = try #require(await ports.first { _ in true })
            result = .success(try await body(port))
        } catch {
            result = .failure(error)
        }
        try await bridge.stop()
        try await serving.value
        try result.get()
    }

    /// The status of a request, and its body if it is not a WebSocket; `nil` if the server refuses the TLS connection.
    private func ask(
        _ port: Int, _ path: String, _ certificate: TestCertificates.PEM?, headers: HTTPFields = [:]
    ) async throws -> (status: Int, body: String)? {
        var options = WebSocketClient.Options()
        options.tls = ClientTLS(
            trust: .authorities([try Self.parsed(TestCertificates.authority)]), identity: try certificate.map { try Self.identity($0) })
        options.headers = headers
        if path.hasSuffix("_blipsync") { options.subprotocols = ["BLIP_3+CBMobile_3"] }
        // Generous, because the machine may be busy.
        options.answerTimeout = .seconds(120)
        do {
            let opened = try await WebSocketClient.connect(to: "wss://127.0.0.1:\(port)\(path)", options: options)
            let (connection, response) = (opened.connection, opened.response)
            await connection.close(code: .normalClosure, reason: "")
            return (response.status.code, "")
        } catch let refusal as WebSocketRefusal {
            return (refusal.response.status.code, String(decoding: refusal.body, as: UTF8.self))
        } catch is WebSocketError {
            return nil
        }
    }

    @Test("A certificate of the authority logs in its user, for requests and WebSockets; a client without one is not logged in")
    func logins() async throws {
        try await run(registers: true) { port in
            let session = try #require(try await ask(port, "/shop/_session", TestCertificates.client))
            #expect(session.status == 200)
            #expect(try JSONValue(Array(session.body.utf8))["userCtx"]?["name"]?.string == "1")
            #expect(try await ask(port, "/shop/", TestCertificates.client)?.status == 200)
            #expect(try await ask(port, "/shop/_blipsync", TestCertificates.client)?.status == 101)
            #expect(try await ask(port, "/shop/", nil)?.status == 401)
            #expect(try await ask(port, "/shop/_blipsync", nil)?.status == 401)
            // Explicit credentials take precedence over the certificate.
            let wrong: HTTPFields = [.authorization: BasicCredentials(user: "1", password: "wrong").authorization]
            #expect(try await ask(port, "/shop/", TestCertificates.client, headers: wrong)?.status == 401)
            #expect(try await ask(port, "/shop/_blipsync", TestCertificates.client, headers: wrong)?.status == 401)
        }
    }

    @Test("A certificate of another authority is refused; a certificate of an unknown user is no login")
    func refusals() async throws {
        try await run(registers: false) { port in
            for path in ["/shop/", "/shop/_blipsync"] {
                let stranger = try await ask(port, path, TestCertificates.stranger)
                #expect(stranger?.status == nil)
                let known = try await ask(port, path, TestCertificates.client)
                #expect(known?.status == 401)
            }
        }
    }
}
