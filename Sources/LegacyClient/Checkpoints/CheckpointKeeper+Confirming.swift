import Documents
import Gateway
import Logging

/// Sees whether the server that has written its half of the checkpoint is the one that had everything before.
///
/// A backup that was made between two checkpoints has the half of the first, so writing the second over it tells nothing. It has also what was replicated
/// before the first: the replication goes back to that place.
extension CheckpointKeeper {
    /// How many of the first, and of the last revisions a pull asks for.
    private static let sample = 100

    /// Notes what the server has taken, or has said that it has.
    ///
    /// - Parameter place: The place here that the checkpoint has when all of it is dealt with.
    func note(taken leaves: [LocalRevisionReader.Leaf], upTo place: FeedPosition) {
        held.add(leaves, at: place, keeping: remote.limits.batch)
    }

    /// Notes what the server's feed has shown.
    func note(announced leaves: [LocalRevisionReader.Leaf]) {
        held.add(leaves, keeping: Self.sample)
    }

    /// - Throws: ``ReplicationError`` with code `serverRestored` if the server has lost something.
    func confirm(upTo sequence: String) async throws {
        guard !held.entries.isEmpty else { return }
        switch direction {
        case .push: try await confirmTaken()
        case .pull: try await confirmAnnounced(upTo: sequence)
        }
    }

    /// What a server does not keep a second time is not given to it again.
    private func confirmTaken() async throws {
        let losses = held.lost(by: try await RevsDiffQuery.missing(held.entries.map(\.leaf), of: remote))
        if isSettled(losses, believed: "the server takes revisions and does not keep them; they are not sent again") { return }
        try await witness?.forgetUnsaved()
        // What was refused before, and tried again, stands before the checkpoint.
        let reached = saved.flatMap { FeedPosition($0) } ?? .zero
        let start = losses.allSatisfy { $0.place > reached } ? reached : .zero
        throw try await goBack(to: start.description, "it lacks \(losses.count) of the revisions that it has just taken")
    }

    /// Revisions alone do not tell: a device may have given one of them to the restored server, at another place. So the server has to have reached the place,
    /// too. When a server denies for the second time what it shows, the feed counts.
    private func confirmAnnounced(upTo sequence: String) async throws {
        let now = try await describe(isLooking: true)
        let comparison = ServerComparison(
            known: saved.map { LocalCheckpoint(agreed: $0) }, there: nil, server: identity.name, identity: now, read: sequence)
        if case .restored(let place, let why) = comparison.finding {
            try await witness?.noteRestoration(behind: place)
            throw try await goBack(to: place, why)
        }
        let losses: [ConfirmedRevisions.Entry]
        do {
            losses = held.lost(by: try await RevsDiffQuery.missing(held.entries.map(\.leaf), of: remote))
        } catch let error as ReplicationError where error.remedy == .change && error.origin != .intermediary {
            logger.debug("the server cannot be asked whether it has what it has shown", metadata: ["error": "\(error)"])
            return
        }
        if isSettled(losses, believed: "the server denies revisions that its feed shows; they are not asked for again") { return }
        try await witness?.noteRestoration(behind: saved)
        throw try await goBack(to: saved, "it lacks \(losses.count) of the revisions that it has just shown")
    }

    /// Whether nothing was lost, or the replication has gone back for it once already.
    ///
    /// - Parameter believed: What the log says in the second case.
    private func isSettled(_ losses: [ConfirmedRevisions.Entry], believed: Logger.Message) -> Bool {
        if isDisputed, !losses.isEmpty {
            logger.warning(believed, metadata: ["url": "\(remote.url.base)", "count": "\(losses.count)"])
        }
        return isDisputed || losses.isEmpty
    }

    /// Writes the half here for a run that begins anew.
    ///
    /// - Parameter place: `nil` for the start.
    /// - Returns: The error that ends this run.
    private func goBack(to place: String?, _ why: String) async throws -> ReplicationError {
        // Both kinds of sequences begin with 0.
        var agreed = LocalCheckpoint(agreed: place ?? "0")
        agreed.server = identity.name
        agreed.restorations = restorations > 0 ? restorations : nil
        agreed.isDisputed = true
        try await Self.setLocal(agreed, id, in: keyspace)
        return end(Self.error(remote, why))
    }
}

/// Revisions that a server had before its half of a checkpoint was written, some of many: by them it is seen that this server has kept what it had.
///
/// A server that goes back in time loses the latest first. Another server that takes its place meanwhile lacks the first, and may have the latest.
/// That is why the first and the last are remembered.
struct ConfirmedRevisions: Sendable {
    struct Entry: Sendable {
        let leaf: LocalRevisionReader.Leaf

        /// For a push: the place here that the checkpoint has when the revision is dealt with.
        let place: FeedPosition

        /// Counts up from the first entry.
        fileprivate let number: Int
    }

    private(set) var entries: [Entry] = []

    /// The number of the next entry.
    private(set) var next = 0

    /// - Parameters:
    ///   - leaves: In the order in which the server had them.
    ///   - kept: How many of the first are remembered, and how many of the last.
    mutating func add(_ leaves: [LocalRevisionReader.Leaf], at place: FeedPosition = .zero, keeping kept: Int) {
        for leaf in leaves {
            entries.append(Entry(leaf: leaf, place: place, number: next))
            next += 1
        }
        if entries.count > 2 * kept { entries.removeSubrange(kept..<entries.count - kept) }
    }

    /// Forgets the entries before a number.
    mutating func removeAll(before number: Int) {
        entries.removeAll { $0.number < number }
    }

    /// The entries that a server says it lacks.
    func lost(by lacking: [ExactString: RevisionsDifference]) -> [Entry] {
        entries.filter { lacking[ExactString($0.leaf.id)]?.missing.contains($0.leaf.revision) ?? false }
    }
}
