import HTTPTypes
import HummingbirdCore
import NIOCore

@testable import HTTP
@testable import HTTPListener

/// A WebSocket's request as clients send it.
func upgradeRequest(_ path: String = "/db/_blipsync", protocols: String? = nil, more: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + (protocols.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? "") + more + "\r\n"
}

/// Sends every message back.
@Sendable func echo(_ socket: any WebSocketConnection) async throws {
    while let messages = try await socket.receive() { try await socket.send(messages) }
}

/// Serves `route` as a WebSocket at every path except those under `/plain`.
func webSocket(
    _ limits: WebSocketLimits = .init(), _ route: @escaping @Sendable (any WebSocketConnection) async throws -> Void
) -> HTTPServer.Handler {
    { request, info in
        if request.head.path?.hasPrefix("/plain") == true { return await describe(request, info) }
        let offered = request.webSocketProtocols
        let chosen = offered.first { ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"].contains($0) }
        guard offered.isEmpty || chosen != nil else { return plain("I only speak BLIP_3+CBMobile_3", .internalServerError) }
        return .webSocket(subprotocol: chosen, limits: limits, handler: route)
    }
}

extension RawClient {
    /// Sends a masked frame.
    func send(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) async throws {
        var buffer = ByteBuffer()
        WebSocketFrameWriter(role: .client).write(WebSocketOpcode(rawValue: opcode) ?? .binary, payload, to: &buffer)
        var bytes = Array(buffer.readableBytesView)
        bytes[0] = opcode | (isFinal ? 0x80 : 0)
        try await send(bytes)
    }

    static func webSocket(port: Int, path: String = "/db/_blipsync") async throws -> RawClient {
        let client = try await connect(port: port)
        try await client.send(upgradeRequest(path))
        _ = try await client.read(until: "\r\n\r\n")
        return client
    }
}

extension WebSocketConnection {
    /// Receives until there are `count` messages, or the end.
    func receive(count: Int) async throws -> [WebSocketMessage] {
        var messages: [WebSocketMessage] = []
        while messages.count < count, let batch = try await receive() { messages += batch }
        return messages
    }
}
