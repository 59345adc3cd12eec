import TestSupport

/// The moment at which the process of a bridge is stopped in the middle of its work, for so long that another bridge takes the work over.
struct Stop: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        /// Before a message to the legacy upstream.
        case message
        /// Before a transaction.
        case transaction
        /// Within a transaction, which the engine ends then.
        case lock
    }

    let kind: Kind

    /// The message or the transaction, from 0 on. Shorter work is not stopped.
    let position: Int

    static func drawn(for upstream: Upstream, from generator: inout SeededGenerator) -> Stop {
        let kind = Kind.allCases.randomElement(using: &generator) ?? .transaction
        guard kind == .message, upstream == .legacy else {
            return Stop(kind: kind == .message ? .transaction : kind, position: Int.random(in: 0..<4, using: &generator))
        }
        return Stop(kind: kind, position: Int.random(in: 0..<8, using: &generator))
    }

    var description: String {
        switch kind {
        case .message: "before message \(position)"
        case .transaction: "before transaction \(position)"
        case .lock: "within transaction \(position)"
        }
    }
}
