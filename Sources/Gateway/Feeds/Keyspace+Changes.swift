import Access
package import Documents
package import Storage

extension Keyspace {
    /// Reads one bounded batch of the changes feed.
    package func changes(_ query: ChangesQuery) async throws -> ChangesBatch {
        try await read(query).batch
    }

    /// Reads a batch for a client that follows the feed. Once the client has caught up, only commits that may be visible to it wake it.
    package func changes(_ query: ChangesQuery, following commits: CommitSubscription) async throws -> ChangesBatch {
        let mark = commits.mark
        let (batch, access, grantees) = try await read(query, isFeed: true)
        guard batch.isCaughtUp else { return batch }
        if access.values.allSatisfy(\.seesEverything) {
            commits.narrow(asOf: mark, by: grantees, to: nil)
        } else {
            // The reader may have access to a collection that this snapshot does not have yet.
            commits.narrow(asOf: mark, by: grantees) { access[$0.collection]?.includes(anyOf: CollectionOfOne($0.channel)) ?? true }
        }
        return batch
    }

    private func read(
        _ query: ChangesQuery, isFeed: Bool = false
    ) async throws -> (batch: ChangesBatch, access: [CollectionKey: ChannelAccess], grantees: Set<Grantee>) {
        let keyspace = self
        var asked = query
        asked.channels = asked.channels.map { Set($0.map(\.composed)) }
        let wanted = asked
        try await recordDevice()
        return try await store.read(as: ReadPriority(client: share.client, isFeed: isFeed)) { snapshot in
            let reader = try ChangesReader(keyspace: keyspace, query: wanted, snapshot: snapshot)
            return (try reader.read(), reader.access, reader.grantees)
        }
    }

    /// The number of documents that have changed after a position, up to `limit`; `nil` where the reader does not see all of them, or the position
    /// is within a backfill.
    package func changeCount(after position: FeedPosition, limit: Int) async throws -> Int? {
        let scope = scope
        return try await read { snapshot in
            guard position.trigger == nil, snapshot.seesEverything else { return nil }
            return try snapshot.store.changeCount(scope, after: position.sequence, upTo: nil, limit: limit)
        }
    }

    /// Subscribes to commits in this keyspace. Subscribe before reading the feed, so that no commit is missed.
    package func follow() -> CommitSubscription {
        store.commits(for: scope)
    }

    /// The counter: no change has a higher sequence.
    package func lastSequence() async throws -> SequenceNumber {
        try await store.read(as: share) { try $0.lastSequence }
    }
}

/// The parameters of a read of the changes feed.
package struct ChangesQuery: Sendable {
    /// Exclusive lower bound.
    package var since = FeedPosition.zero

    /// The maximum number of rows per batch.
    package var limit = 1000

    /// Whether a batch may exceed the limit, up to ``longest``: a reader of many channels gets rows at a lower cost in longer batches.
    package var readsAhead = false

    /// The maximum number of rows that are read ahead.
    package static let longest = 4_000

    /// Whether rows list every leaf, or only the winner.
    package var allLeaves = false

    /// Whether tombstones and removals are left out.
    package var activeOnly = false
    package var descending = false

    /// Only these documents.
    package var documentIDs: Set<ExactString>?

    /// Only documents in these channels; `nil` for all that the reader may see.
    package var channels: Set<String>?

    /// Whether the reader receives revocation rows for documents that became invisible by loss of access.
    package var includesRevocations = false

    /// Whether each row includes the winner's content.
    package var includesContent = false

    package init() {}

    func isAskedFor(channel: String) -> Bool {
        channels.map { $0.contains(channel) || $0.contains("*") } ?? true
    }

    /// Whether the query requests this document, or has no list of documents.
    func isAskedFor(_ id: String) -> Bool {
        documentIDs?.contains(ExactString(id)) ?? true
    }
}

/// A bounded batch of a changes feed.
package struct ChangesBatch: Sendable {
    package var rows: [ChangeRow]

    /// The position of the next batch. It may be after the last row, where rows were left out.
    package var position: FeedPosition

    /// Whether the feed had no rows after the batch at the time of the read.
    package var isCaughtUp: Bool

    package init(rows: [ChangeRow], position: FeedPosition, isCaughtUp: Bool) {
        self.rows = rows
        self.position = position
        self.isCaughtUp = isCaughtUp
    }

    /// Removes the rows after the first ones, and returns them as a batch of their own; `nil` if there are none.
    package mutating func split(after limit: Int) -> ChangesBatch? {
        guard rows.count > limit, limit > 0 else { return nil }
        let rest = ChangesBatch(rows: Array(rows[limit...]), position: position, isCaughtUp: isCaughtUp)
        rows.removeSubrange(limit...)
        position = rows[limit - 1].position
        isCaughtUp = false
        return rest
    }

    /// Ends the batch at a position; the next batch gets the rows after it.
    package mutating func end(at end: FeedPosition) {
        guard position > end else { return }
        rows.removeAll { $0.position > end }
        position = FeedPosition(end.sequence, trigger: end.trigger, reached: position.reached)
        isCaughtUp = false
    }
}
