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

/// Why a WebSocket is closed: RFC 6455 7.4, and private codes from 4000 on.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Done: Couchbase Lite 2.8 and later stop for good, continuous replications too.
    public static let normalClosure = Self(rawValue: 1000)
    /// Leaving: Couchbase Lite takes it like a normal closure.
    public static let goingAway = Self(rawValue: 1001)
    /// The peer broke the protocol. The .NET 1.x client gives up WebSockets on it.
    public static let protocolError = Self(rawValue: 1002)
    /// Never sent: the peer closed without a code.
    public static let noStatus = Self(rawValue: 1005)
    /// Never sent: the connection was lost without a close frame.
    public static let abnormalClosure = Self(rawValue: 1006)
    /// A text message was not UTF-8.
    public static let invalidText = Self(rawValue: 1007)
    /// A message was longer than the limit.
    public static let messageTooBig = Self(rawValue: 1009)
    /// This side failed.
    public static let unexpectedCondition = Self(rawValue: 1011)
    /// Couchbase Lite's own: come again later.
    public static let transientError = Self(rawValue: 4001)
    /// Couchbase Lite's own: do not come again.
    public static let permanentError = Self(rawValue: 4002)

    /// Whether the code may stand in a close frame.
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    public var description: String { String(rawValue) }
}
