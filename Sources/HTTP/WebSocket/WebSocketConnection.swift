import NIOCore

/// A WebSocket, client or server side, over any transport.
///
/// Messages are transferred in batches, so that many small ones are cheap: ``receive()`` returns all that have arrived, and ``send(_:)``
/// accepts all that are ready.
package protocol WebSocketConnection: AnyObject, Sendable {
    /// The protocol negotiated in the handshake.
    var subprotocol: String? { get }

    /// How the socket ended, or nil while it is open.
    var closure: WebSocketClosure? { get }

    /// Returns all messages that have arrived since the last call; waits if there are none. Nil when the socket has ended; see ``closure``.
    ///
    /// Not for concurrent use. While no task receives, backpressure soon stops the peer.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    func receive() async throws -> [WebSocketMessage]?

    /// Sends messages in order, not interleaved with those of other callers. Returns when they are queued, and waits while the peer is too slow.
    ///
    /// - Throws: ``WebSocketError`` if the socket has ended, or `CancellationError` if the task is cancelled while it waits; in the latter case
    ///   the messages are still sent.
    func send(_ messages: [WebSocketMessage]) async throws

    /// Closes the socket after all queued messages, with a code and a reason of at most 123 bytes.
    ///
    /// Returns when the peer has replied or the close timeout has passed. Does nothing if the socket has ended.
    func close(code: WebSocketCloseCode, reason: String) async

    /// Drops the connection and all unsent data without a close frame. The peer handles it as a transient failure.
    func drop()
}

extension WebSocketConnection {
    /// Sends one message.
    package func send(_ message: WebSocketMessage) async throws {
        try await send([message])
    }
}

/// One WebSocket message, assembled from its fragments.
package struct WebSocketMessage: Sendable, Hashable {
    /// Whether the bytes are text.
    package enum Kind: Sendable, Hashable {
        /// UTF-8 text; received text is validated.
        case text
        /// Any bytes.
        case binary
    }

    package var kind: Kind
    package var bytes: [UInt8]

    package init(_ kind: Kind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    package static func text(_ text: String) -> Self { Self(.text, bytes: Array(text.utf8)) }
    package static func binary(_ bytes: [UInt8]) -> Self { Self(.binary, bytes: bytes) }

    /// The message as text, regardless of its kind: some 1.x clients send JSON as binary messages.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Limits for a WebSocket's peer, and the timing of connection checks.
package struct WebSocketLimits: Sendable {
    /// The maximum frame size in bytes; a larger frame closes the socket with 1009.
    package var frameSize = 16 << 20
    /// The maximum message size, over all fragments, in bytes; a larger message closes the socket with 1009.
    package var messageSize = 16 << 20
    /// How many bytes of messages may be queued for ``WebSocketConnection/receive()`` before reading pauses.
    package var receiveBuffer = 256 * 1024
    /// The time without received data after which a ping is sent, or nil for no pings. Couchbase Lite pings after 300 seconds.
    package var pingInterval: Duration?
    /// The time after a ping within which data must be received.
    package var pingTimeout: Duration = .seconds(20)
    /// The maximum time without any received data, including pings, or nil for no limit.
    package var idleTimeout: Duration?
    /// The maximum time during which the peer accepts no data.
    package var writeTimeout: Duration = .seconds(120)
    /// The maximum time until the peer replies to a close frame.
    package var closeTimeout: Duration = .seconds(5)
    /// The close code when the server stops. Couchbase Lite reconnects after 4001, and never after 1000 or 1001.
    package var shutdownCode = WebSocketCloseCode.transientError

    package init() {}
}
