/// How a WebSocket ended.
public struct WebSocketClosure: Sendable, Hashable {
    /// Who ended it.
    public enum Initiator: Sendable, Hashable {
        /// This side, by ``WebSocketConnection/close(code:reason:)`` or because the peer broke the protocol.
        case local
        /// The peer, by a close frame.
        case peer
        /// Nobody: the connection was lost or dropped.
        case lost
    }

    public let code: WebSocketCloseCode
    /// The reason in the close frame, or what happened to the connection.
    public let reason: String
    public let initiator: Initiator

    public init(code: WebSocketCloseCode, reason: String, initiator: Initiator) {
        self.code = code
        self.reason = reason
        self.initiator = initiator
    }

    static func lost(_ reason: String) -> Self {
        Self(code: .abnormalClosure, reason: reason, initiator: .lost)
    }
}
