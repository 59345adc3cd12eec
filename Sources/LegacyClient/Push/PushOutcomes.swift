import Documents
import Gateway
import Storage

/// The results of pushed revisions.
struct PushOutcomes: Sendable {
    let report: @Sendable (ReplicationEvent) -> Void

    /// The error because of which some revision has to be sent again.
    private(set) var unfinished: ReplicationError?

    /// Updates of the list of parked revisions.
    private(set) var parkingOutcomes: [ParkingOutcome] = []

    /// Revisions that the server has accepted or already had.
    private(set) var accepted: [LocalRevisionReader.Leaf] = []

    /// Revisions with an error that may not be theirs; `_revs_diff` shows whether the server has them.
    private var doubtful: [(content: RevisionContent, error: ReplicationError)] = []

    /// Refused revisions that are sent once more.
    private var again: Set<LocalRevisionReader.Leaf> = []

    init(report: @escaping @Sendable (ReplicationEvent) -> Void) {
        self.report = report
    }

    /// Records that a revision was sent, or why the server refuses it.
    ///
    /// A permanent refusal is recorded and does not block the checkpoint. Couchbase Lite does so for 403 only; other refusals block its
    /// checkpoint permanently.
    mutating func record(_ content: RevisionContent, _ error: ReplicationError?) {
        if let error, error.isTransient {
            unfinished = error
        } else {
            let refusal = error.map { ParkingOutcome.Refusal($0) }
            parkingOutcomes.append(ParkingOutcome(.push, id: content.id, revision: content.revision.text, refusal: refusal))
            if error == nil { accepted.append(LocalRevisionReader.Leaf(content)) }
        }
        report(.progress(completed: 1))
        report(
            .documents([DocumentTransfer(id: content.id, revision: content.revision, isDeleted: content.isDeleted, error: error)]))
    }

    /// Handles the server's result for a revision.
    ///
    /// - Parameter isSure: Whether an error certainly concerns this revision, and not another one of its document.
    mutating func handle(_ content: RevisionContent, _ error: ReplicationError?, isSure: Bool = true) {
        // A conflict means that the server accepts no branches. ``RevisionSender/resolveDoubtful(_:)`` decides how to proceed.
        if let error, !isSure || error.code == .conflict {
            doubtful.append((content, error))
        } else {
            record(content, error)
        }
    }

    mutating func takeDoubtful() -> [(content: RevisionContent, error: ReplicationError)] {
        defer { doubtful = [] }
        return doubtful
    }

    /// Whether a refused revision is sent once more. Only once: the reasons of a second refusal are unknown.
    mutating func retriesOnce(_ leaf: LocalRevisionReader.Leaf) -> Bool { again.insert(leaf).inserted }

    /// Records that a revision cannot be sent in a form that the server accepts.
    mutating func record(_ leaf: LocalRevisionReader.Leaf, _ error: ReplicationError) {
        parkingOutcomes.append(ParkingOutcome(.push, id: leaf.id, revision: leaf.revision.text, refusal: ParkingOutcome.Refusal(error)))
        report(.documents([DocumentTransfer(id: leaf.id, revision: leaf.revision, isDeleted: false, error: error)]))
    }

    /// Records that the server already has a revision.
    mutating func recordKnown(_ leaf: LocalRevisionReader.Leaf) {
        accepted.append(leaf)
        recordUnneeded(leaf)
    }

    /// Records that the server does not need a revision.
    mutating func recordUnneeded(_ leaf: LocalRevisionReader.Leaf) {
        parkingOutcomes.append(ParkingOutcome(.push, id: leaf.id, revision: leaf.revision.text))
    }

    /// Whether an error of a request for one document concerns that document only. 404 does not: it means that the database is gone.
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
