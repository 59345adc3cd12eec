import Access
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import ModernServer
import ModernTestSupport
import NIOSSL
import Storage
import TestSupport

@testable import ModernClient
@testable import ModernProtocol

/// A database behind a port of its own, for replicators that connect by a URL.
struct WebServer: Sendable {
    var certificate: TestCertificates.PEM?
    var clientAuthority: TestCertificates.PEM?

    /// The response in place of a WebSocket.
    var refusal: Response?

    /// The response to a request by its headers; `nil` accepts the WebSocket.
    var answer: (@Sendable (HTTPFields) -> Response?)?

    /// Further headers of the WebSocket's response.
    var headers: HTTPFields = [:]

    /// Serves while `body` runs.
    ///
    /// - Parameter body: Gets the URL of the database, with the host's name.
    func run(_ bridge: TestBridge, _ body: @Sendable (_ url: String) async throws -> Void) async throws {
        var limits = HTTPServerLimits()
        limits.shutdownTimeout = .milliseconds(100)
        limits.lingerTimeout = .milliseconds(200)
        let (refusal, answer, headers) = (refusal, answer, headers)
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(port: 0, serverName: "Test/1", tls: try certificate.map(tls), limits: limits),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { request, _ in
            if let refusal = refusal ?? answer?(request.headers) { return refusal }
            guard let subprotocol = ModernListener.choose(from: request.webSocketProtocols) else { return .upgradeRequired }
            return .webSocket(subprotocol: subprotocol.rawValue, headers: headers) { socket in
                await bridge.listener.serve(
                    WebSocketMessages(socket, of: .replicator), database: bridge.database, principal: .administrator,
                    subprotocol: subprotocol)
            }
        }
        let scheme = certificate == nil ? "ws" : "wss"
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let result: Result<Void, any Error>
            do {
                result = .success(try await body("\(scheme)://localhost:\(try await server.port())/db"))
            } catch {
                result = .failure(error)
            }
            try await server.shutdown()
            try await group.waitForAll()
            try result.get()
        }
    }

    private func tls(_ certificate: TestCertificates.PEM) throws -> ReloadableTLS {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificate.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.key.utf8), format: .pem)))
        if let clientAuthority {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(clientAuthority.certificate.utf8)))
        }
        return try ReloadableTLS(configuration)
    }
}
