/// A WebSocket's interface for sessions: binary messages, received and sent in batches.
///
/// BLIP has no text messages: the socket ignores them or closes with 1003.
public protocol MessageSocket: Sendable {
    /// Waits for messages, and returns all that have arrived.
    /// - Returns: `nil` once the peer has closed; the socket has then replied to the close message.
    /// - Throws: If the connection breaks or the task is cancelled.
    func receive() async throws -> [[UInt8]]?

    /// Sends messages with one flush, and returns when the connection accepts more.
    ///
    /// - Throws: If the connection is broken or closed, or the task is cancelled.
    func send(_ messages: [[UInt8]]) async throws

    /// Closes with a close handshake and a WebSocket status code.
    func close(code: UInt16, reason: String) async

    /// Ends the connection without a close message: clients treat that as a network failure and reconnect.
    func drop() async
}
