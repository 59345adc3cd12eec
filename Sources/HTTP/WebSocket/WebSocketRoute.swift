import Crypto
import Foundation
public import HTTPTypes
public import HummingbirdCore
import NIOCore

/// What a route wants a WebSocket for.
struct WebSocketRoute: Sendable {
    let subprotocol: String?
    let limits: WebSocketLimits
    let handler: @Sendable (any WebSocketConnection) async throws -> Void
}

/// Carries a ``WebSocketRoute`` out of an answer's body, the one place where Hummingbird's answers can keep something of ours.
private struct WebSocketRouteWriter: ResponseBodyWriter {
    final class Found {
        var route: WebSocketRoute?
    }

    let found: Found

    func write(_ buffer: ByteBuffer) async throws {}

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension Response {
    /// The answer of a route that goes on as a WebSocket.
    ///
    /// A request that is no proper upgrade is answered with ``upgradeRequired`` instead, or with 400 if its key is at fault. When `handler` returns, the socket is closed with 1000 unless it
    /// has ended; when it throws, with 1011. Clients take these in their own ways (see ``WebSocketCloseCode``), so a route that
    /// cares closes itself.
    ///
    /// - Parameters:
    ///   - subprotocol: The one chosen of those that ``HummingbirdCore/Request/webSocketProtocols`` offers.
    ///   - headers: Further headers of the 101 answer.
    ///   - limits: What the client may do.
    ///   - handler: What the route does with the socket. That the client has left is told by the socket; the task is cancelled only when the
    ///     server stops and its time is over.
    public static func webSocket(
        subprotocol: String? = nil, headers: HTTPFields = [:], limits: WebSocketLimits = .init(),
        handler: @escaping @Sendable (any WebSocketConnection) async throws -> Void
    ) -> Response {
        var headers = headers
        headers[.secWebSocketProtocol] = subprotocol
        let route = WebSocketRoute(subprotocol: subprotocol, limits: limits, handler: handler)
        return Response(
            status: .switchingProtocols, headers: headers,
            body: ResponseBody { writer in
                guard let writer = writer as? WebSocketRouteWriter else {
                    throw RequestError(.invalidResponse, reason: "A WebSocket answer cannot be written as a body.")
                }
                writer.found.route = route
            })
    }

    /// The answer to a request that is no proper upgrade, from a route that speaks WebSocket only.
    static func refusal(of upgrade: RequestHead.Upgrade) -> Response {
        if case .malformedWebSocket(.badRequest) = upgrade {
            return RequestError(.badRequest, reason: "Sec-WebSocket-Key must be there once, 16 bytes in base64").response
        }
        return .upgradeRequired
    }

    /// Says that only WebSocket is spoken here, and which version (RFC 9110 15.5.22, RFC 6455 4.4).
    public static var upgradeRequired: Response {
        var response = RequestError(.upgradeRequired, reason: "Can't upgrade this request to websocket connection").response
        response.headers[.secWebSocketVersion] = "13"
        return response
    }

    /// What an answer made by ``webSocket(subprotocol:headers:limits:handler:)`` stands for; nil for other answers.
    func webSocketRoute() async throws -> WebSocketRoute? {
        let found = WebSocketRouteWriter.Found()
        try await body.write(WebSocketRouteWriter(found: found))
        return found.route
    }
}

extension Request {
    /// Whether the client wants a WebSocket.
    public var wantsWebSocket: Bool {
        headers[.upgrade]?.lowercased().contains("websocket") ?? false
    }

    /// The WebSocket protocols that the client offers, in its order of preference.
    public var webSocketProtocols: [String] {
        headers[values: .secWebSocketProtocol].flatMap { value in
            value.split(separator: ",").map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
        }
    }
}

/// The arithmetic of RFC 6455's opening handshake.
enum WebSocketHandshake {
    /// A client's key: 16 random bytes.
    static func key() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64EncodedString()
    }

    static func isValid(key: String) -> Bool {
        Data(base64Encoded: key)?.count == 16
    }

    /// What the server proves with that it understood the key.
    static func accept(key: String) -> String {
        Data(Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }
}
