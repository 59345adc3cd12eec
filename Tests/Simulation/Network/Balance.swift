import TestSupport

/// The bridges to which a load balancer passes the messages of a client's replication.
struct Balance: Hashable, Sendable, CustomStringConvertible {
    /// The change of the bridge in the middle of a replication. A WebSocket is closed for it.
    enum Change: Hashable, Sendable {
        case never
        case before(message: Int)
        /// Each request goes to the next bridge.
        case always
    }

    let first: Int
    var change = Change.never

    /// The bridge of a message, counted from 0.
    func bridge(of message: Int) -> Int {
        switch change {
        case .never: first
        case .before(let moment): message < moment ? first : first + 1
        case .always: first + message
        }
    }

    static func drawn(from generator: inout SeededGenerator) -> Balance {
        let first = Int.random(in: 0...1, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return Balance(first: first, change: .before(message: Int.random(in: 0..<12, using: &generator)))
        case 1: return Balance(first: first, change: .always)
        default: return Balance(first: first)
        }
    }

    var description: String {
        switch change {
        case .never: "bridge \(first)"
        case .before(let message): "bridge \(first), and from message \(message) on to the other one"
        case .always: "bridge \(first), and with each message to the next one"
        }
    }
}
