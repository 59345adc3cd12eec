import Documents
import Gateway
import Logging

/// Checks, after the server's half of the checkpoint was written, that the server still has the revisions that were replicated before.
///
/// A backup made between two checkpoints contains the first checkpoint's half, so that writing the second one succeeds without a conflict. The
/// backup also contains everything replicated before the first checkpoint, so the replication goes back to that position.
extension CheckpointKeeper {
    /// How many of the first and of the last announced revisions a pull checks.
    private static let sample = 100

    /// Records revisions that the server has accepted or already had.
    ///
    /// - Parameter place: The local position that the checkpoint reaches when all of them are done.
    func record(accepted leaves: [LocalRevisionReader.Leaf], upTo place: FeedPosition) {
        held.add(leaves, at: place, keeping: remote.limits.batch)
    }

    /// Records revisions that the server's feed has announced.
    func record(announced leaves: [LocalRevisionReader.Leaf]) {
        held.add(leaves, keeping: Self.sample)
    }

    /// - Throws: ``ReplicationError`` with code `serverRestored` if the server has lost revisions.
    func confirm(upTo sequence: String) async throws {
        guard !held.entries.isEmpty else { return }
        switch direction {
        case .push: try await confirmAccepted()
        case .pull: try await confirmAnnounced(upTo: sequence)
        }
    }

    /// Checks the pushed revisions. Revisions that the server loses a second time are not sent again.
    private func confirmAccepted() async throws {
        let losses = held.lost(by: try await RevsDiffQuery.missing(held.entries.map(\.leaf), of: remote))
        if isResolved(losses, believed: "the server accepts revisions but does not store them; they are not sent again") { return }
        try await detector?.discardUnsaved()
        // Refused revisions that were retried have positions before the checkpoint; losing one of them requires a full comparison.
        let reached = saved.flatMap { FeedPosition($0) } ?? .zero
        let start = losses.allSatisfy { $0.place > reached } ? reached : .zero
        throw try await goBack(to: start.description, "it lacks \(losses.count) of the revisions that it has just accepted")
    }

    /// Checks the announced revisions and the server's last sequence. Revisions alone do not suffice: another client may have pushed one of them
    /// to the restored server, at another position of its feed. When the server denies announced revisions for the second time, its feed is
    /// believed.
    private func confirmAnnounced(upTo sequence: String) async throws {
        let now = try await describe(suspectsChange: true)
        let comparison = ServerComparison(
            known: saved.map { LocalCheckpoint(agreed: $0) }, there: nil, server: identity.name, identity: now, read: sequence)
        if case .restored(let place, let why) = comparison.finding {
            try await detector?.recordRestoration(behind: place)
            throw try await goBack(to: place, why)
        }
        let losses: [ConfirmedRevisions.Entry]
        do {
            losses = held.lost(by: try await RevsDiffQuery.missing(held.entries.map(\.leaf), of: remote))
        } catch let error as ReplicationError where error.remedy == .change && error.origin != .intermediary {
            logger.debug("it cannot be checked whether the server has the revisions of its feed", metadata: ["error": "\(error)"])
            return
        }
        if isResolved(losses, believed: "the server does not have revisions that its feed lists; they are not requested again") { return }
        try await detector?.recordRestoration(behind: saved)
        throw try await goBack(to: saved, "it lacks \(losses.count) of the revisions that its feed has just listed")
    }

    /// Whether nothing was lost, or the replication has already gone back once because of it.
    ///
    /// - Parameter believed: The log message in the second case.
    private func isResolved(_ losses: [ConfirmedRevisions.Entry], believed: Logger.Message) -> Bool {
        if isDisputed, !losses.isEmpty {
            logger.warning(believed, metadata: ["url": "\(remote.url.base)", "count": "\(losses.count)"])
        }
        return isDisputed || losses.isEmpty
    }

    /// Resets both halves of the checkpoint for a new run.
    ///
    /// - Parameter place: `nil` for the start.
    /// - Returns: The error that ends this run.
    private func goBack(to place: String?, _ why: String) async throws -> ReplicationError {
        // Sequences of both sides begin with 0.
        var agreed = LocalCheckpoint(agreed: place ?? "0")
        agreed.server = identity.name
        agreed.restorations = restorations > 0 ? restorations : nil
        agreed.isDisputed = true
        try await Self.setLocal(agreed, id, in: keyspace)
        await withdraw(to: agreed.lastSequence)
        return end(Self.error(remote, why))
    }
}

/// A sample of the revisions that the server had before its half of the checkpoint was written; checked to detect a restored or replaced server.
///
/// A server that goes back in time loses the latest revisions first. Another server in its place lacks the first revisions and may have the
/// latest. The sample therefore contains the first and the last revisions.
struct ConfirmedRevisions: Sendable {
    struct Entry: Sendable {
        let leaf: LocalRevisionReader.Leaf

        /// For a push: the local position that the checkpoint reaches when the revision is done.
        let place: FeedPosition

        /// Numbered consecutively from the first entry.
        fileprivate let number: Int
    }

    private(set) var entries: [Entry] = []

    /// The number of the next entry.
    private(set) var next = 0

    /// - Parameters:
    ///   - leaves: In the order in which the server received or announced them.
    ///   - kept: How many of the first and how many of the last revisions are retained.
    mutating func add(_ leaves: [LocalRevisionReader.Leaf], at place: FeedPosition = .zero, keeping kept: Int) {
        for leaf in leaves {
            entries.append(Entry(leaf: leaf, place: place, number: next))
            next += 1
        }
        if entries.count > 2 * kept { entries.removeSubrange(kept..<entries.count - kept) }
    }

    /// Removes the entries before a number.
    mutating func removeAll(before number: Int) {
        entries.removeAll { $0.number < number }
    }

    /// The entries that the server reports as missing.
    func lost(by lacking: [ExactString: RevisionsDifference]) -> [Entry] {
        entries.filter { lacking[ExactString($0.leaf.id)]?.missing.contains($0.leaf.revision) ?? false }
    }
}
