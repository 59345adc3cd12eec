import HTTP
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// The validated head of a request.
struct RequestHead: Sendable {
    /// The request for the route. Its path is the unmodified request target, including percent escapes and unusual characters.
    let request: HTTPRequest
    /// Whether the client uses HTTP/1.0, which has no chunks and no informational responses.
    let isHTTP10: Bool
    /// Whether the connection may serve another request.
    let keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool
    /// Whether a body follows.
    let hasBody: Bool
    /// The body's length where it was declared.
    let contentLength: Int?
    /// The requested protocol upgrade.
    let upgrade: Upgrade

    enum Upgrade: Sendable, Equatable {
        /// No upgrade.
        case none
        /// To WebSocket, with the client's key.
        case webSocket(key: String)
        /// To WebSocket, but invalid by RFC 6455: malformed (426), or with a bad key (400).
        case malformedWebSocket(RequestError.Code)
        /// To another protocol, such as `h2c`, which Java's HttpClient and curl request by default. Ignored.
        case other
    }

    /// - Throws: ``RequestError`` if the request cannot be served.
    init(_ head: HTTPRequestHead, isSecure: Bool) throws {
        isHTTP10 = head.version == .http1_0
        let hosts = head.headers["host"]
        guard hosts.count == 1 || isHTTP10 && hosts.isEmpty else {
            throw RequestError(.badRequest, reason: "A request must have exactly one Host header; this one has \(hosts.count).")
        }
        let encodings = head.headers[canonicalForm: "transfer-encoding"]
        guard encodings.isEmpty || encodings.count == 1 && encodings[0].lowercased() == "chunked" else {
            throw RequestError(.unsupportedFeature, reason: "Unsupported Transfer-Encoding; use chunked.")
        }
        guard let method = try? HTTPRequest.Method(head.method) else {
            throw RequestError(.badRequest, reason: "The request's method is not a valid token.")
        }
        request = HTTPRequest(
            method: method, scheme: isSecure ? "https" : "http", authority: hosts.first, path: Self.target(of: head.uri),
            headerFields: HTTPFields(head.headers, splitCookie: false))
        contentLength = head.headers["content-length"].first.flatMap { Int($0) }
        hasBody = !encodings.isEmpty || (contentLength ?? 0) > 0
        expectsContinue =
            hasBody && !isHTTP10 && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
        // Close the connection after the response in two cases. After CONNECT the parser stops, although no tunnel is established. HTTP/1.0 has no
        // chunks: if a request has them, an intermediary may have seen another end of the body (RFC 9112, 6.1).
        keepAlive = head.isKeepAlive && head.method != .CONNECT && (!isHTTP10 || encodings.isEmpty)
        upgrade = Self.upgrade(of: head)
    }

    /// The target in origin form. The absolute form, which clients send to proxies, loses its scheme and authority.
    private static func target(of uri: String) -> String {
        guard !uri.hasPrefix("/") else { return uri }
        for scheme in ["http://", "https://"] where uri.lowercased().hasPrefix(scheme) {
            let rest = uri.dropFirst(scheme.count)
            guard let start = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
            return rest[start] == "/" ? String(rest[start...]) : "/" + rest[start...]
        }
        return uri
    }

    private static func upgrade(of head: HTTPRequestHead) -> Upgrade {
        let protocols = head.headers[canonicalForm: "upgrade"]
        // A field without a protocol, such as `Upgrade: ,`, also stops NIO's parser.
        guard head.headers.contains(name: "upgrade"),
            head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" })
        else { return .none }
        guard protocols.contains(where: { $0.lowercased() == "websocket" }) else { return .other }
        guard head.method == .GET, head.version == .http1_1, head.headers["sec-websocket-version"] == ["13"]
        else { return .malformedWebSocket(.upgradeRequired) }
        guard head.headers["sec-websocket-key"].count == 1, let key = head.headers["sec-websocket-key"].first,
            WebSocketHandshake.isValid(key: key)
        else { return .malformedWebSocket(.badRequest) }
        return .webSocket(key: key)
    }
}

/// A part of a request, in the order of arrival on a server's connection.
enum RequestPart: Sendable {
    case head(RequestHead)
    case body(ByteBuffer)
    case end
    /// A protocol violation or a timeout. Earlier requests are still served; then this error is the response, and the connection ends.
    case failure(RequestError)

    var size: Int {
        switch self {
        case .head: 512
        case .body(let buffer): buffer.readableBytes
        case .end, .failure: 64
        }
    }
}
