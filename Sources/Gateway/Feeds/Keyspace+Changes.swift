import Access
public import Documents
public import Storage

extension Keyspace {
    /// A bounded batch of the changes feed.
    public func changes(_ query: ChangesQuery) async throws -> ChangesBatch {
        try await read(query).batch
    }

    /// The same for somebody who follows the feed: once they have all of it, only commits that may bring them something wake them.
    public func changes(_ query: ChangesQuery, following commits: CommitSubscription) async throws -> ChangesBatch {
        let mark = commits.mark
        let (batch, access, grantees) = try await read(query, isFeed: true)
        guard batch.isCaughtUp else { return batch }
        if access.values.allSatisfy(\.seesEverything) {
            commits.narrow(asOf: mark, by: grantees, to: nil)
        } else {
            // A collection that is not there yet may be anybody's.
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

    /// How many documents have changed after a place in the feed, `limit` at most; `nil` where the reader does not see all of them, or the feed
    /// goes back for some.
    public func changeCount(after position: FeedPosition, limit: Int) async throws -> Int? {
        let scope = scope
        return try await read { snapshot in
            guard position.trigger == nil, snapshot.seesEverything else { return nil }
            return try snapshot.store.changeCount(scope, after: position.sequence, upTo: nil, limit: limit)
        }
    }

    /// Tells of commits that touch this keyspace, from now on. Subscribe before reading the feed, so that nothing falls between.
    public func follow() -> CommitSubscription {
        store.commits(for: scope)
    }

    /// The counter: no change has a higher sequence.
    public func lastSequence() async throws -> SequenceNumber {
        try await store.read(as: share) { try $0.lastSequence }
    }
}

/// What a changes feed is asked for.
public struct ChangesQuery: Sendable {
    /// Rows behind this one.
    public var since = FeedPosition.zero

    /// At most this many rows in one batch.
    public var limit = 1000

    /// Whether every leaf is listed, or the winner alone.
    public var allLeaves = false

    /// Whether tombstones and removals are left out.
    public var activeOnly = false
    public var descending = false

    /// Only these documents.
    public var documentIDs: Set<ExactString>?

    /// Only documents in these channels; `nil` for all that the reader may see.
    public var channels: Set<String>?

    /// Whether the reader is told of documents that it can no longer see because access was lost.
    public var includesRevocations = false

    /// Whether each row brings the winner's content.
    public var includesContent = false

    public init() {}

    func isAskedFor(channel: String) -> Bool {
        channels.map { $0.contains(channel) || $0.contains("*") } ?? true
    }

    /// Whether the query is not for certain documents, or for this one.
    func isAskedFor(_ id: String) -> Bool {
        documentIDs?.contains(ExactString(id)) ?? true
    }
}

/// A bounded piece of a changes feed.
public struct ChangesBatch: Sendable {
    public var rows: [ChangeRow]

    /// Where the next batch goes on. It may lie behind the last row, where rows were left out.
    public var position: FeedPosition

    /// Whether the feed had nothing more behind the batch when it was read.
    public var isCaughtUp: Bool

    public init(rows: [ChangeRow], position: FeedPosition, isCaughtUp: Bool) {
        self.rows = rows
        self.position = position
        self.isCaughtUp = isCaughtUp
    }

    /// Leaves the rows behind a position to the next batch.
    public mutating func end(at end: FeedPosition) {
        guard position > end else { return }
        rows.removeAll { $0.position > end }
        position = FeedPosition(end.sequence, trigger: end.trigger, reached: position.reached)
        isCaughtUp = false
    }
}
