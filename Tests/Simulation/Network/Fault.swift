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
        /// The engine of the bridges' store goes away: before a message, before a transaction is committed, or after it.
        case cutAtMessage
        case cutBeforeCommit
        case cutAfterCommit
        /// The engine's acknowledgement of a commit is lost, and the bridge asks for it; it gets no answer the second time.
        case lostCommit
        case unknownCommit

        /// The faults of a server whose store is in files.
        static let ofFiles: [Kind] = [.lost, .unanswered, .repeated, .crashBeforeCommit, .crashAfterCommit]

        /// The faults of an engine that is a server.
        static let ofEngine: [Kind] = [.cutAtMessage, .cutBeforeCommit, .cutAfterCommit, .lostCommit, .unknownCommit]

        /// Whether the process crashes.
        var isCrash: Bool { self == .crashBeforeCommit || self == .crashAfterCommit }

        var happening: Happening {
            switch self {
            case .lost: .lostMessage
            case .unanswered: .unansweredMessage
            case .repeated: .repeatedMessage
            case .crashBeforeCommit: .crashBeforeCommit
            case .crashAfterCommit: .crashAfterCommit
            case .cutAtMessage: .cutAtMessage
            case .cutBeforeCommit: .cutBeforeCommit
            case .cutAfterCommit: .cutAfterCommit
            case .lostCommit: .lostCommit
            case .unknownCommit: .unknownCommit
            }
        }
    }

    let kind: Kind

    /// The message, or the transaction, from 0 on. A shorter replication has no fault.
    let position: Int

    /// Whether the position is that of a transaction.
    var isAtCommit: Bool {
        switch kind {
        case .lost, .unanswered, .repeated, .cutAtMessage: false
        case .crashBeforeCommit, .crashAfterCommit, .cutBeforeCommit, .cutAfterCommit, .lostCommit, .unknownCommit: true
        }
    }

    var description: String {
        switch kind {
        case .lost: "message \(position) is lost"
        case .unanswered: "message \(position) is never answered"
        case .repeated: "message \(position) is delivered twice"
        case .crashBeforeCommit: "the server dies before commit \(position)"
        case .crashAfterCommit: "the server dies after commit \(position)"
        case .cutAtMessage: "the engine goes away before message \(position)"
        case .cutBeforeCommit: "the engine goes away before commit \(position)"
        case .cutAfterCommit: "the engine goes away after commit \(position)"
        case .lostCommit: "the acknowledgement of commit \(position) is lost"
        case .unknownCommit: "the acknowledgement of commit \(position) is lost, and the engine goes away"
        }
    }
}
