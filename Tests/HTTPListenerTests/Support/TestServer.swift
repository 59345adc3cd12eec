import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

@testable import HTTP
@testable import HTTPListener

/// Runs a server on a port of its own during a test's body.
func withServer<Value: Sendable>(
    limits: HTTPServerLimits = .init(), tls: ReloadableTLS? = nil, memory: MemoryAccount = MemoryAccount(),
    handler: @escaping HTTPServer.Handler,
    _ body: @Sendable (_ port: Int, _ server: HTTPServer) async throws -> Value
) async throws -> Value {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let server = HTTPServer(
        configuration: HTTPServerConfiguration(port: 0, serverName: "Test/1 (Server)", tls: tls, limits: limits, memory: memory),
        logger: logger,
        handler: handler)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(server.port(), server))
        } catch {
            result = .failure(error)
        }
        try await server.shutdown()
        try await group.waitForAll()
        return try result.get()
    }
}

/// Limits that let a test's server stop at once.
var quickLimits: HTTPServerLimits {
    var limits = HTTPServerLimits()
    limits.shutdownTimeout = .milliseconds(100)
    limits.lingerTimeout = .milliseconds(200)
    return limits
}

/// Sends method, target and body of the request.
@Sendable func describe(_ request: Request, _ info: RequestInfo) async -> Response {
    do {
        let body = try await request.bytes(upTo: 1 << 20)
        return plain("\(request.method.rawValue) \(request.head.path ?? "-") \(String(decoding: body, as: UTF8.self))")
    } catch let error as RequestError {
        return error.response
    } catch {
        return Response(status: .internalServerError)
    }
}

func plain(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, headers: [.contentType: "text/plain"], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
}
