import Documents

/// The way from a client to a server for one replication: counts what passes, and fails where it was told to.
final class Line {
    /// What becomes of a message.
    enum Fate {
        case delivered
        case lost
        case unanswered
        case repeated
    }

    let server: Node
    let ledger: Ledger
    var traffic = Traffic()
    private let fault: Fault?
    private var count = 0

    init(to server: Node, ledger: Ledger, fault: Fault?) {
        self.server = server
        self.ledger = ledger
        self.fault = fault
    }

    /// Whether something is to go wrong on it.
    var isFaulty: Bool { fault != nil }

    /// The fate of the next message.
    func next() -> Fate {
        defer { count += 1 }
        guard let fault, !fault.isCrash, fault.position == count else { return .delivered }
        switch fault.kind {
        case .lost: return .lost
        case .unanswered: return .unanswered
        case .repeated: return .repeated
        case .crashBeforeCommit, .crashAfterCommit: return .delivered
        }
    }

    func noteAcknowledged(_ revision: RevisionID, at place: Place, to client: String) {
        ledger.acknowledge(revision, at: place, to: client, by: server.name)
    }

    func noteRepetition(of revision: RevisionID, at place: Place, to client: String) {
        ledger.noteRepetition(of: revision, at: place, to: client, by: server.name)
    }
}
