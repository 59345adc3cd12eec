import AsyncHTTPClient
import HTTP
import HTTPTypes
import NIOCore
import NIOHTTP1

/// A server with two ports, given by their URLs without a trailing slash.
struct RemoteServer: Server {
    let kind: ServerKind
    let publicURL: String
    let adminURL: String

    func answer(_ request: ServerRequest) async throws -> Answer {
        let response = try await HTTPClient.shared.execute(Self.request(request, to: url(of: request)), timeout: .seconds(60))
        return Answer(status: Int(response.status.code), body: Array(buffer: try await response.body.collect(upTo: 16 << 20)))
    }

    func follow(_ request: ServerRequest, _ receive: @escaping @Sendable ([UInt8]) -> Void) async throws {
        let response = try await HTTPClient.shared.execute(Self.request(request, to: url(of: request)), deadline: .distantFuture)
        guard response.status == .ok else { return }
        for try await chunk in response.body { receive(Array(buffer: chunk)) }
    }

    func connect(_ request: ServerRequest, subprotocols: [String]) async throws -> any WebSocketConnection {
        var options = WebSocketClient.Options()
        options.subprotocols = subprotocols
        options.headers = request.headers
        return try await WebSocketClient.connect(to: "ws" + url(of: request).dropFirst("http".count), options: options).connection
    }

    private func url(of request: ServerRequest) -> String { (request.isToAdminPort ? adminURL : publicURL) + request.path }

    private static func request(_ request: ServerRequest, to url: String) -> HTTPClientRequest {
        var sent = HTTPClientRequest(url: url)
        sent.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headers { sent.headers.add(name: field.name.rawName, value: field.value) }
        if !request.body.isEmpty { sent.body = .bytes(ByteBuffer(bytes: request.body)) }
        return sent
    }
}
