import HTTP
import ModernProtocol

/// A WebSocket restricted to binary messages.
struct WebSocketMessages: MessageSocket {
    private let socket: any WebSocketConnection

    init(_ socket: any WebSocketConnection) {
        self.socket = socket
    }

    func receive() async throws -> [[UInt8]]? {
        while let messages = try await socket.receive() {
            // BLIP has no text messages; like LiteCore, this ignores them.
            let binary = messages.filter { $0.kind == .binary }.map(\.bytes)
            if !binary.isEmpty { return binary }
        }
        if let closure = socket.closure, closure.initiator == .lost { throw WebSocketError(.closed, reason: closure.reason) }
        return nil
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
