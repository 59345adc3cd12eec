package import HTTP

/// A WebSocket restricted to binary messages. BLIP has no text messages; like LiteCore, both sides ignore them.
package struct WebSocketMessages: MessageSocket {
    /// The side that uses the socket.
    package enum Side: Sendable {
        /// A text message counts as a sign of life: messages that are all texts result in an empty batch. A lost connection ends like a closed one.
        case listener
        /// Text messages are passed over. A lost connection is an error, so that the replicator reports and repeats it.
        case replicator
    }

    private let socket: any WebSocketConnection
    private let side: Side

    package init(_ socket: any WebSocketConnection, of side: Side) {
        self.socket = socket
        self.side = side
    }

    package func receive() async throws -> [[UInt8]]? {
        while let messages = try await socket.receive() {
            let binary = messages.filter { $0.kind == .binary }.map(\.bytes)
            if !binary.isEmpty || side == .listener { return binary }
        }
        if side == .replicator, let closure = socket.closure, closure.initiator == .lost {
            throw WebSocketError(.closed, reason: closure.reason)
        }
        return nil
    }

    package func send(_ messages: [[UInt8]]) async throws {
        try await socket.send(messages.map { .binary($0) })
    }

    package func close(code: UInt16, reason: String) async {
        await socket.close(code: WebSocketCloseCode(rawValue: code), reason: reason)
    }

    package func drop() async {
        socket.drop()
    }
}
