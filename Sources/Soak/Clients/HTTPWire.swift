import AsyncHTTPClient
import Documents
import HTTP
import NIOCore
import NIOHTTP1

/// The requests of one client over HTTP.
struct HTTPWire: Sendable {
    /// How long any answer may take that is no feed.
    private static let patience = TimeAmount.seconds(90)

    /// Bytes of an answer at most.
    private static let longest = 64 << 20

    let client: HTTPClient
    let base: String
    let authorization: String?

    init(client: HTTPClient, base: String, credentials: BasicCredentials? = nil) {
        self.client = client
        self.base = base
        authorization = credentials?.authorization
    }

    /// - Throws: ``SoakError`` for anything but success.
    @discardableResult
    func send(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> JSONValue {
        let response = try await open(method, path, body, patience: Self.patience)
        let bytes = try await response.body.collect(upTo: Self.longest)
        guard (200..<300).contains(response.status.code) else { throw SoakError("\(method) \(path.prefix(24)): \(response.status.code)") }
        return bytes.readableBytes == 0 ? .null : try JSONValue(Array(buffer: bytes))
    }

    /// - Returns: The answer, whatever its status, when its head is here.
    func open(_ method: HTTPMethod, _ path: String, _ body: String? = nil, patience: TimeAmount) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: "\(base)/\(path)")
        request.method = method
        request.headers.add(name: "Accept", value: "application/json")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        return try await client.execute(request, timeout: patience)
    }
}
