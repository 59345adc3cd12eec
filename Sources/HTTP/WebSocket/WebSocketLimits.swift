import NIOCore

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
