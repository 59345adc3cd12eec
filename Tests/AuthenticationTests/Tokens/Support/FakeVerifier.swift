import Coordination
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// A local server in place of a verifier of users. It records its requests.
final class FakeVerifier: Sendable {
    struct Call: Sendable {
        let method: String
        let target: String
        let headers: HTTPFields
        let body: String
    }

    private let log = Lock<[Call]>([])

    var calls: [Call] { log.withLock { $0 } }

    /// The number of requests for a path, without its query.
    func count(_ path: String) -> Int {
        calls.count { $0.target.split(separator: "?").first.map(String.init) == path }
    }

    /// Runs a server on a port of its own during a test's body, which gets the server's URL.
    static func run<Value: Sendable>(
        tls: ReloadableTLS? = nil, _ answer: @escaping @Sendable (Call) async -> Response,
        _ body: (_ verifier: FakeVerifier, _ url: String) async throws -> Value
    ) async throws -> Value {
        let verifier = FakeVerifier()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var limits = HTTPServerLimits()
        limits.shutdownTimeout = .milliseconds(100)
        limits.lingerTimeout = .milliseconds(100)
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(port: 0, serverName: "Verifier", tls: tls, limits: limits), logger: logger
        ) { request, _ in
            let bytes = (try? await request.bytes(upTo: 1 << 20)) ?? []
            let call = Call(
                method: request.method.rawValue, target: request.head.path ?? "", headers: request.headers,
                body: String(decoding: bytes, as: UTF8.self))
            verifier.log.withLock { $0.append(call) }
            return await answer(call)
        }
        async let running: Void = server.run()
        let result: Result<Value, any Error>
        do {
            let port = try await server.port()
            result = .success(try await body(verifier, "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)"))
        } catch {
            result = .failure(error)
        }
        try await server.shutdown()
        try await running
        return try result.get()
    }
}

extension FakeVerifier.Call {
    var path: String { String(target.prefix { $0 != "?" }) }
}

func json(_ text: String, _ code: Int = 200) -> Response {
    Response(
        status: HTTPResponse.Status(code: code), headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
}

/// Kinds of misbehaviour of a verifier.
enum Misbehaviour: String, CaseIterable, Sendable {
    case slow, failing, overloaded, redirecting, endless, notJSON, notObject, deep, duplicate, empty

    /// A response that must never be a login, and would be one if it was read carelessly.
    func answer(_ good: String) async -> Response {
        switch self {
        case .slow:
            // Ends when the client's timeout is over and it disconnects.
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            continuation.finish()
            return json(good)
        case .failing: return json(good, 500)
        case .overloaded: return json(good, 429)
        case .redirecting:
            return Response(status: .found, headers: [.location: "/elsewhere"], body: ResponseBody(byteBuffer: ByteBuffer(string: good)))
        case .endless:
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: String(good.dropLast()) + #","filler":""#))
                    let piece = ByteBuffer(string: String(repeating: "a", count: 1 << 20))
                    for _ in 0..<100 { try await writer.write(piece) }
                    try await writer.write(ByteBuffer(string: #""}"#))
                    try await writer.finish(nil)
                })
        case .notJSON: return json("<html>\(good)</html>")
        case .notObject: return json("[\(good)]")
        case .deep: return json(String(repeating: #"{"a":"#, count: 100) + good + String(repeating: "}", count: 100))
        case .duplicate: return json(String(good.dropLast()) + "," + String(good.dropFirst()))
        case .empty: return json("")
        }
    }
}
