import Coordination
import Documents
import Gateway
import Storage

/// Detects that the legacy upstream was restored from a backup, before a push relies on the recorded rows of upstream's feed.
///
/// The pull's checkpoint shows a restoration, because upstream's half of it was restored with everything else. The pull therefore records its
/// checkpoint ID in a local document. Recorded rows after the position on which both halves agree are discarded: upstream may have lost these
/// changes, and gives their sequences to others. The document also counts the restorations found by the pull and by the push; a push whose
/// checkpoint has a lower count begins at the start.
struct UpstreamRestorationDetector: Sendable {
    private static let name = "upstream"

    /// How often the pull's checkpoint is read because the pull is saving it at the same time, and the pause between two reads.
    private static let tries = 80
    private static let pause = Duration.milliseconds(200)

    /// The longest time that a save takes, in milliseconds. A local half that is older belongs to a failed save.
    private static let saving: Int64 = 15_000

    let keyspace: Keyspace

    /// Upstream's URL, without credentials.
    let source: String

    /// The content of the local document.
    private struct Record {
        var checkpoint: String
        var restorations: Int64 = 0
        /// The revision of the local document; `nil` if it does not exist.
        var revision: String?
    }

    /// Records the ID of the pull's checkpoint.
    func recordPullCheckpoint(_ checkpoint: LegacyCheckpointID) async throws {
        try await change { $0.checkpoint = checkpoint.text }
    }

    /// The number of restorations of upstream that were found.
    var restorations: Int64 {
        get async throws { try await record?.restorations ?? 0 }
    }

    /// Discards the recorded rows after a position, and makes the push begin at the start.
    ///
    /// - Parameter place: The position up to which upstream has kept everything; `nil` for nothing.
    func recordRestoration(behind place: String?) async throws {
        // Discard first, so that a push that reads the new count finds no stale rows.
        try await keyspace.beginUpstreamFeed(of: source, since: place.map { UpstreamSequence($0) })
        try await change { $0.restorations += 1 }
    }

    /// Compares both halves of the pull's checkpoint, and discards recorded rows that upstream may have lost.
    ///
    /// - Parameters:
    ///   - identity: The recently read identity of the server's database.
    ///   - again: Reads the identity again.
    /// - Returns: A phrase that describes upstream's loss; `nil` if upstream has lost nothing.
    func check(
        at remote: RemoteDatabase, _ identity: RemoteIdentity, again: @Sendable () async throws -> RemoteIdentity
    ) async throws -> String? {
        guard let (id, here, there) = try await checkpoint(remote) else { return nil }
        var identity = identity
        if let reached = identity.reached, let read = SequenceOrder.number(here.lastSequence), read > reached {
            // The pull may have read further since the identity was read.
            identity = try await again()
        }
        let comparison = ServerComparison(
            known: here, there: there, server: here.server, identity: identity, read: here.lastSequence)
        if case .restored(let place, let why) = comparison.finding {
            try await recordRestoration(behind: place)
            // Written last, so that the restoration is found again if the steps before fail.
            try await CheckpointKeeper.setLocal(place.map { LocalCheckpoint(agreed: $0) }, id, in: keyspace)
            return why
        }
        if let there {
            let agreed = here.reconciled(with: there.lastSequence)
            if agreed != here.lastSequence {
                try await keyspace.beginUpstreamFeed(of: source, since: agreed.map { UpstreamSequence($0) })
            }
        }
        return nil
    }

    /// Discards recorded rows after the pull's saved checkpoint, and makes the push begin at the start.
    func recordUnsavedRestoration() async throws {
        guard let record = try await record else { return }
        let here = try await CheckpointKeeper.local(record.checkpoint, in: keyspace)
        try await recordRestoration(behind: here?.lastSequence)
    }

    /// Discards recorded rows after the pull's saved checkpoint, without making the push begin at the start.
    func discardUnsaved() async throws {
        guard let record = try await record else { return }
        let here = try await CheckpointKeeper.local(record.checkpoint, in: keyspace)
        try await keyspace.beginUpstreamFeed(of: source, since: here.map { UpstreamSequence($0.lastSequence) })
    }

    /// Both halves of the pull's checkpoint at the same moment; `nil` if there is no checkpoint. The server's half is `nil` if it cannot be read.
    ///
    /// The pull saves the local half first. So halves between two saves differ without a loss of upstream, and the rows that the pull has recorded
    /// last would be discarded for good.
    private func checkpoint(_ remote: RemoteDatabase) async throws -> (id: String, here: LocalCheckpoint, there: RemoteCheckpoint?)? {
        guard let id = try await record?.checkpoint, !id.isEmpty, var here = try await CheckpointKeeper.local(id, in: keyspace) else {
            return nil
        }
        for attempt in 1...Self.tries {
            let there: RemoteCheckpoint?
            do {
                there = try await CheckpointKeeper.remoteHalf(id, of: remote)
            } catch let error as ReplicationError where error.isUnreadableCheckpoint {
                there = nil
            }
            guard let now = try await CheckpointKeeper.local(id, in: keyspace) else { return nil }
            let isBetween = now.previous != now.lastSequence && there?.lastSequence == now.previous
            let age = try await age(ofHalf: id)
            let isBeingSaved = isBetween && attempt < Self.tries && age < Self.saving
            if now == here, !isBeingSaved { return (id, here, there) }
            here = now
            // The server's half changes without an event here.
            if isBeingSaved { try await suspend(for: Self.pause) }
        }
        // The pull keeps saving, so upstream has lost nothing.
        return nil
    }

    /// The time since the local half of a checkpoint was written, in milliseconds.
    private func age(ofHalf id: String) async throws -> Int64 {
        Timestamp.now - (try await keyspace.localDocument(.replicator, id: id)?.modified ?? 0)
    }

    private var record: Record? {
        get async throws {
            guard let current = try await keyspace.localDocument(.replicator, id: Self.name), let value = try? JSONValue(current.body),
                value["source"]?.string == source, let checkpoint = value["checkpoint"]?.string
            else { return nil }
            let count = value["restorations"]?.int ?? 0
            return Record(checkpoint: checkpoint, restorations: Int64(count), revision: "0-\(current.revision)")
        }
    }

    /// Changes the local document. A document of another source is replaced.
    private func change(_ change: (inout Record) -> Void) async throws {
        while true {
            let current = try await keyspace.localDocument(.replicator, id: Self.name)
            var record = try await self.record ?? Record(checkpoint: "")
            guard record.revision == nil || record.revision == current.map({ "0-\($0.revision)" }) else { continue }
            change(&record)
            var body: [UInt8] = []
            JSONValue.object([
                JSONMember("source", .string(source)), JSONMember("checkpoint", .string(record.checkpoint)),
                JSONMember("restorations", .number(String(record.restorations))),
            ]).append(to: &body)
            guard current?.body != body else { return }
            do {
                _ = try await keyspace.setLocalDocument(
                    .replicator, id: Self.name, body: body, expected: current.map { "0-\($0.revision)" })
                return
            } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
                // The pull or the push has written it concurrently.
                continue
            }
        }
    }
}
