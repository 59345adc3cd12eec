import HTTP
import ModernProtocol

/// A WebSocket for the 2.x+ protocol: binary messages only.
struct BlipSocket: MessageSocket {
    private let socket: any WebSocketConnection

    init(_ socket: any WebSocketConnection) {
        self.socket = socket
    }

    func receive() async throws -> [[UInt8]]? {
        // BLIP has no text messages. LiteCore also ignores them.
        try await socket.receive()?.filter { $0.kind == .binary }.map(\.bytes)
    }

    func send(_ messages: [[UInt8]]) async throws {
        try await socket.send(messages.map { .binary($0) })
    }

    func close(code: UInt16, reason: String) async {
        await socket.close(code: WebSocketCloseCode(rawValue: code), reason: reason)
    }

    func drop() async {
        socket.drop()
    }
}
