package import Coordination
package import HTTP
package import HTTPTypes
package import HummingbirdCore
import NIOCore

/// A route's handler and settings for a WebSocket.
struct WebSocketRoute: Sendable {
    let subprotocol: String?
    let limits: WebSocketLimits
    let handler: @Sendable (any WebSocketConnection) async throws -> Void
}

/// How a connection continues after a 101 response.
enum UpgradeRoute: Sendable {
    case webSocket(WebSocketRoute)
    case tunnel(TunnelEnd, leaving: StopSignal)
}

/// Extracts an ``UpgradeRoute`` from a response's body, the only part of Hummingbird's responses that can carry custom data.
private struct UpgradeRouteWriter: ResponseBodyWriter {
    final class Found {
        var route: UpgradeRoute?
    }

    let found: Found

    func write(_ buffer: ByteBuffer) async throws {}

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension Response {
    /// The response of a route that continues as a WebSocket.
    ///
    /// - A request that is not a valid upgrade receives ``upgradeRequired`` instead, or 400 if its key is invalid.
    /// - When `handler` returns, the socket is closed with 1000 unless it has ended. When `handler` throws, it is closed with 1011.
    /// - Clients react to these codes in different ways (see ``WebSocketCloseCode``), so a route for which this matters closes the socket itself.
    ///
    /// - Parameters:
    ///   - subprotocol: The protocol chosen from ``HummingbirdCore/Request/webSocketProtocols``.
    ///   - headers: Additional headers of the 101 response.
    ///   - limits: Limits for the client.
    ///   - handler: Uses the socket. The socket reports when the client disconnects; the task is cancelled only when the server stops and the
    ///     shutdown timeout has passed.
    package static func webSocket(
        subprotocol: String? = nil, headers: HTTPFields = [:], limits: WebSocketLimits = .init(),
        handler: @escaping @Sendable (any WebSocketConnection) async throws -> Void
    ) -> Response {
        var headers = headers
        headers[.secWebSocketProtocol] = subprotocol
        return upgrading(by: .webSocket(WebSocketRoute(subprotocol: subprotocol, limits: limits, handler: handler)), headers)
    }

    /// The response of a route that joins the client's connection with another one, whose server has accepted the client's request for a WebSocket.
    ///
    /// - Parameters:
    ///   - end: The other connection. It is closed with the client's.
    ///   - headers: The headers of the other server's 101 response.
    ///   - leaving: Ends both connections.
    package static func tunnel(to end: TunnelEnd, headers: HTTPFields, leaving: StopSignal) -> Response {
        upgrading(by: .tunnel(end, leaving: leaving), headers)
    }

    private static func upgrading(by route: UpgradeRoute, _ headers: HTTPFields) -> Response {
        Response(
            status: .switchingProtocols, headers: headers,
            body: ResponseBody { writer in
                guard let writer = writer as? UpgradeRouteWriter else {
                    throw RequestError(.invalidResponse, reason: "The response to an upgrade cannot be written as a body.")
                }
                writer.found.route = route
            })
    }

    /// The response of a WebSocket-only route to a request that is not a valid upgrade.
    static func refusal(of upgrade: RequestHead.Upgrade) -> Response {
        if case .malformedWebSocket(.badRequest) = upgrade {
            return RequestError(.badRequest, reason: "Sec-WebSocket-Key must appear once, with 16 bytes in base64").response
        }
        return .upgradeRequired
    }

    /// The response that requires an upgrade to WebSocket, with the supported version (RFC 9110 15.5.22, RFC 6455 4.4).
    package static var upgradeRequired: Response {
        var response = RequestError(.upgradeRequired, reason: "Can't upgrade this request to websocket connection").response
        response.headers[.secWebSocketVersion] = "13"
        return response
    }

    /// The route of a response made by ``webSocket(subprotocol:headers:limits:handler:)`` or ``tunnel(to:headers:leaving:)``; nil for other responses.
    func upgradeRoute() async throws -> UpgradeRoute? {
        let found = UpgradeRouteWriter.Found()
        try await body.write(UpgradeRouteWriter(found: found))
        return found.route
    }
}

extension Request {
    /// Whether the client requests a WebSocket.
    package var wantsWebSocket: Bool {
        headers[.upgrade]?.lowercased().contains("websocket") ?? false
    }

    /// The WebSocket protocols that the client offers, in its order of preference.
    package var webSocketProtocols: [String] {
        headers[values: .secWebSocketProtocol].flatMap { value in
            value.split(separator: ",").map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
        }
    }
}
