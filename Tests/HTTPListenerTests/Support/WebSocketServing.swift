@testable import HTTP
@testable import HTTPListener

/// A server on a port of its own with a WebSocket at every path, while `body` runs.
func serveWebSockets(
    _ limits: WebSocketLimits = .init(), server: HTTPServerLimits = quickLimits,
    route: @escaping @Sendable (any WebSocketConnection) async throws -> Void = echo,
    _ body: @Sendable (Int, HTTPServer) async throws -> Void
) async throws {
    try await withServer(limits: server, handler: webSocket(limits, route), body)
}
