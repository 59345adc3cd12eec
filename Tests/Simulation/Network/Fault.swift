/// The fault of one replication.
struct Fault: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        /// A message does not arrive, and the connection ends.
        case lost
        /// A message arrives and is processed, its reply is lost, and the connection ends.
        case unanswered
        /// As before, but the client sends the same message again, as HTTP clients do.
        case repeated
        /// The server crashes before it commits a transaction, or right after it.
        case crashBeforeCommit
        case crashAfterCommit

        var happening: Happening {
            switch self {
            case .lost: .lostMessage
            case .unanswered: .unansweredMessage
            case .repeated: .repeatedMessage
            case .crashBeforeCommit: .crashBeforeCommit
            case .crashAfterCommit: .crashAfterCommit
            }
        }
    }

    let kind: Kind

    /// The message, or the transaction, from 0 on. A shorter replication has no fault.
    let position: Int

    var isCrash: Bool { kind == .crashBeforeCommit || kind == .crashAfterCommit }

    var description: String {
        switch kind {
        case .lost: "message \(position) is lost"
        case .unanswered: "message \(position) is never answered"
        case .repeated: "message \(position) is delivered twice"
        case .crashBeforeCommit: "the server dies before commit \(position)"
        case .crashAfterCommit: "the server dies after commit \(position)"
        }
    }
}
