/// A WebSocket as a session sees it: binary messages that come and go in batches.
///
/// Text messages are no part of BLIP; the socket ignores them or closes with 1003.
package protocol MessageSocket: Sendable {
    /// Waits for messages, and takes all that have arrived.
    ///
    /// - Returns: `nil` once the peer has closed; the socket has then answered its close itself.
    /// - Throws: If the connection breaks, or the task is cancelled.
    func receive() async throws -> [[UInt8]]?

    /// Sends messages with one flush, and returns when the connection has room for more.
    ///
    /// - Throws: If the connection is broken or closed, or the task is cancelled.
    func send(_ messages: [[UInt8]]) async throws

    /// Closes in order, with a WebSocket status code.
    func close(code: UInt16, reason: String) async

    /// Ends the connection without a close message: clients take it for a network failure and come back.
    func drop() async
}
