/// A WebSocket, whichever side of it and whatever carries it.
///
/// Messages go in batches, so that many small ones cost little: ``receive()`` gives all that have arrived, ``send(_:)`` takes all
/// that are to be sent.
public protocol WebSocketConnection: AnyObject, Sendable {
    /// The protocol agreed on in the handshake.
    var subprotocol: String? { get }

    /// How the socket ended, or nil while it is open.
    var closure: WebSocketClosure? { get }

    /// All messages that have arrived since the last call; waits for one when there are none. Nil when the socket has ended, and
    /// ``closure`` tells how. For one task at a time.
    ///
    /// While nobody calls it, the peer is soon held back.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits.
    func receive() async throws -> [WebSocketMessage]?

    /// Sends messages, in order and without those of other callers in between. Returns when they are queued, and waits while the peer is
    /// too slow.
    ///
    /// - Throws: ``WebSocketError`` when the socket has ended, or `CancellationError` when the task is cancelled while it waits; the
    ///   messages are sent in the latter case.
    func send(_ messages: [WebSocketMessage]) async throws

    /// Closes with a code and a reason of at most 123 bytes after all that was sent, and returns when the peer has answered or has
    /// been waited for long enough. Does nothing when the socket has ended.
    func close(code: WebSocketCloseCode, reason: String) async

    /// Drops the connection without a close frame, and what has not been sent with it. The peer takes it as a transient failure.
    func drop()
}

extension WebSocketConnection {
    /// Sends one message.
    public func send(_ message: WebSocketMessage) async throws {
        try await send([message])
    }
}
