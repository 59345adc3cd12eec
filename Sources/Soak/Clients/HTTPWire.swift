import AsyncHTTPClient
import Documents
import HTTP
import NIOCore
import NIOHTTP1

/// The requests of one client over HTTP.
struct HTTPWire: Sendable {
    /// Timeout of requests other than feeds.
    private static let timeout = TimeAmount.seconds(90)

    /// Largest response body in bytes.
    private static let longest = 64 << 20

    let client: HTTPClient
    let base: String
    let authorization: String?

    init(client: HTTPClient, base: String, credentials: BasicCredentials? = nil) {
        self.client = client
        self.base = base
        authorization = credentials?.authorization
    }

    /// - Throws: ``SoakError`` for any status other than success.
    @discardableResult
    func send(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> JSONValue {
        let response = try await open(method, path, body, timeout: Self.timeout)
        let bytes = try await response.body.collect(upTo: Self.longest)
        guard (200..<300).contains(response.status.code) else { throw SoakError("\(method) \(path.prefix(24)): \(response.status.code)") }
        return bytes.readableBytes == 0 ? .null : try JSONValue(Array(buffer: bytes))
    }

    /// - Returns: The response with any status, as soon as its head has arrived.
    func open(_ method: HTTPMethod, _ path: String, _ body: String? = nil, timeout: TimeAmount) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: "\(base)/\(path)")
        request.method = method
        request.headers.add(name: "Accept", value: "application/json")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        return try await client.execute(request, timeout: timeout)
    }
}
