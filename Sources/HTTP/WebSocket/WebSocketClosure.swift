/// How a WebSocket ended.
package struct WebSocketClosure: Sendable, Hashable {
    /// The side that ended the socket.
    package enum Initiator: Sendable, Hashable {
        /// This side, with ``WebSocketConnection/close(code:reason:)`` or because the peer violated the protocol.
        case local
        /// The peer, with a close frame.
        case peer
        /// Neither: the connection was lost or dropped.
        case lost
    }

    package let code: WebSocketCloseCode
    /// The reason in the close frame, or what happened to the connection.
    package let reason: String
    package let initiator: Initiator

    package init(code: WebSocketCloseCode, reason: String, initiator: Initiator) {
        self.code = code
        self.reason = reason
        self.initiator = initiator
    }

    static func lost(_ reason: String) -> Self {
        Self(code: .abnormalClosure, reason: reason, initiator: .lost)
    }
}

/// WebSocket close codes: RFC 6455 7.4, and private codes from 4000 on.
package struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Normal end: Couchbase Lite 2.8 and later stop permanently, including continuous replications.
    package static let normalClosure = Self(rawValue: 1000)
    /// The endpoint goes away: Couchbase Lite handles it like a normal closure.
    package static let goingAway = Self(rawValue: 1001)
    /// The peer violated the protocol. The .NET 1.x client stops using WebSockets after it.
    package static let protocolError = Self(rawValue: 1002)
    /// Never sent: the peer closed without a code.
    package static let noStatus = Self(rawValue: 1005)
    /// Never sent: the connection was lost without a close frame.
    package static let abnormalClosure = Self(rawValue: 1006)
    /// A text message was not UTF-8.
    package static let invalidText = Self(rawValue: 1007)
    /// A message was longer than the limit.
    package static let messageTooBig = Self(rawValue: 1009)
    /// This side failed.
    package static let unexpectedCondition = Self(rawValue: 1011)
    /// Specific to Couchbase Lite: retry later.
    package static let transientError = Self(rawValue: 4001)
    /// Specific to Couchbase Lite: do not retry.
    package static let permanentError = Self(rawValue: 4002)

    /// Whether a close frame may contain the code.
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    package var description: String { String(rawValue) }
}
