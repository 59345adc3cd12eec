import Coordination
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// A server in the place of an authenticator. It records its requests.
final class FakeServer: Sendable {
    struct Call: Sendable {
        let path: String

        /// The path with its query.
        let target: String
        let headers: HTTPFields
    }

    private let log = Lock<[Call]>([])

    var calls: [Call] { log.withLock { $0 } }

    /// An address without a listener.
    static let nobody = "http://127.0.0.1:1"

    /// Runs a server on a port of its own around a test's body, which gets its URL.
    static func run(
        _ answer: @escaping @Sendable (Call, _ url: String) -> Response,
        _ body: @Sendable (_ server: FakeServer, _ url: String) async throws -> Void
    ) async throws {
        let fake = FakeServer()
        var limits = HTTPServerLimits()
        limits.shutdownTimeout = .milliseconds(100)
        limits.lingerTimeout = .milliseconds(100)
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(port: 0, serverName: "Verifier", limits: limits),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { request, _ in
            let target = request.head.path ?? ""
            let call = Call(path: String(target.prefix { $0 != "?" }), target: target, headers: request.headers)
            fake.log.withLock { $0.append(call) }
            return answer(call, "http://\(request.head.authority ?? "")")
        }
        async let running: Void = server.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(fake, "http://127.0.0.1:\(try await server.port())"))
        } catch {
            result = .failure(error)
        }
        try await server.shutdown()
        try await running
        try result.get()
    }

    static func json(_ text: String, _ code: Int = 200) -> Response {
        Response(
            status: HTTPResponse.Status(code: code), headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
