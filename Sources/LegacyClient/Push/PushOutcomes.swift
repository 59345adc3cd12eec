import Documents
import Gateway
import Storage

/// What became of revisions that were sent.
struct PushOutcomes: Sendable {
    let report: @Sendable (ReplicationEvent) -> Void

    /// Why some revision has to be tried again.
    private(set) var unfinished: ReplicationError?

    /// For the list of parked revisions.
    private(set) var notes: [ParkingOutcome] = []

    /// Revisions that the server has taken, or has said that it has.
    private(set) var taken: [LocalRevisionReader.Leaf] = []

    /// Revisions of which it has to be found out what the server has of them.
    private var doubtful: [(content: RevisionContent, error: ReplicationError)] = []

    /// Revisions that are sent once more, although the server has refused them.
    private var again: Set<LocalRevisionReader.Leaf> = []

    init(report: @escaping @Sendable (ReplicationEvent) -> Void) {
        self.report = report
    }

    /// Notes that a revision was sent, or why the server does not take it.
    ///
    /// What will be refused each time is recorded, and holds nothing up. Couchbase Lite does so for 403, and lets other refusals block its
    /// checkpoint for ever.
    mutating func note(_ content: RevisionContent, _ error: ReplicationError?) {
        if let error, error.isTransient {
            unfinished = error
        } else {
            let refusal = error.map { ParkingOutcome.Refusal($0) }
            notes.append(ParkingOutcome(.push, id: content.id, revision: content.revision.text, refusal: refusal))
            if error == nil { taken.append(LocalRevisionReader.Leaf(content)) }
        }
        report(.progress(completed: 1))
        report(
            .documents([DocumentTransfer(id: content.id, revision: content.revision, isDeleted: content.isDeleted, error: error)]))
    }

    /// Takes the server's answer to a revision.
    ///
    /// - Parameter isSure: Whether an error is surely this revision's, and not that of another one of its document.
    mutating func take(_ content: RevisionContent, _ error: ReplicationError?, isSure: Bool = true) {
        // A conflict says that the server knows no branches; what then is to become of the revision is found out.
        if let error, !isSure || error.code == .conflict {
            doubtful.append((content, error))
        } else {
            note(content, error)
        }
    }

    mutating func takeDoubtful() -> [(content: RevisionContent, error: ReplicationError)] {
        defer { doubtful = [] }
        return doubtful
    }

    /// Whether a refused revision is to be sent once more: once, because a server that refuses it again has reasons that are not known here.
    mutating func retriesOnce(_ leaf: LocalRevisionReader.Leaf) -> Bool { again.insert(leaf).inserted }

    /// A revision cannot be brought into a form that the server takes.
    mutating func note(_ leaf: LocalRevisionReader.Leaf, _ error: ReplicationError) {
        notes.append(ParkingOutcome(.push, id: leaf.id, revision: leaf.revision.text, refusal: ParkingOutcome.Refusal(error)))
        report(.documents([DocumentTransfer(id: leaf.id, revision: leaf.revision, isDeleted: false, error: error)]))
    }

    /// The server has a revision already.
    mutating func noteKnown(_ leaf: LocalRevisionReader.Leaf) {
        taken.append(leaf)
        noteUnneeded(leaf)
    }

    /// The server needs not have a revision.
    mutating func noteUnneeded(_ leaf: LocalRevisionReader.Leaf) {
        notes.append(ParkingOutcome(.push, id: leaf.id, revision: leaf.revision.text))
    }

    /// Whether an error of a request for one document is that document's alone. 404 is not: it says that the database is gone.
    static func isOfDocument(_ error: ReplicationError) -> Bool {
        guard error.origin != .intermediary else { return false }
        return error.origin == .filter || [400, 403, 406, 409, 410, 412, 413, 415].contains(error.code.rawValue)
    }
}

extension ParkingOutcome.Refusal {
    init(_ error: ReplicationError) {
        self.init(domain: error.domain, code: error.code.rawValue, reason: error.message)
    }
}
