import NIOCore

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

/// One message of a WebSocket, put together from its fragments.
public struct WebSocketMessage: Sendable, Hashable {
    /// Whether the bytes are text.
    public enum Kind: Sendable, Hashable {
        /// UTF-8 text; what arrives has been checked.
        case text
        /// Any bytes.
        case binary
    }

    public var kind: Kind
    public var bytes: [UInt8]

    public init(_ kind: Kind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    public static func text(_ text: String) -> Self { Self(.text, bytes: Array(text.utf8)) }
    public static func binary(_ bytes: [UInt8]) -> Self { Self(.binary, bytes: bytes) }

    /// The message as text, whatever its kind: some 1.x clients send JSON as binary messages.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// What a WebSocket allows its peer, and how it looks after the connection.
public struct WebSocketLimits: Sendable {
    /// The longest frame in bytes; a longer one closes with 1009.
    public var frameSize = 16 << 20
    /// The longest message, all fragments together, in bytes; a longer one closes with 1009.
    public var messageSize = 16 << 20
    /// How many bytes of messages may wait for ``WebSocketConnection/receive()`` before the peer is held back.
    public var receiveBuffer = 256 * 1024
    /// After how long without anything received a ping is sent, or nil for none. Couchbase Lite pings after 300 seconds.
    public var pingInterval: Duration?
    /// How long after a ping something must be received.
    public var pingTimeout: Duration = .seconds(20)
    /// How long nothing at all may be received, pings included, or nil for no limit.
    public var idleTimeout: Duration?
    /// How long the peer may take nothing of what is sent.
    public var writeTimeout: Duration = .seconds(120)
    /// How long the peer may take to answer a close frame.
    public var closeTimeout: Duration = .seconds(5)
    /// What the server closes with when it stops. Couchbase Lite comes again after 4001, and never after 1000 or 1001.
    public var shutdownCode = WebSocketCloseCode.transientError

    public init() {}
}
