import Access
import Documents
public import Storage

extension Keyspace {
    /// A bounded batch of the changes feed.
    public func changes(_ query: ChangesQuery) async throws -> ChangesBatch {
        let keyspace = self
        var query = query
        query.channels = query.channels.map { Set($0.map(\.composed)) }
        let asked = query
        return try await store.read { try ChangesReader(keyspace: keyspace, query: asked, snapshot: $0).read() }
    }

    /// Tells of commits that touch this keyspace, from now on. Subscribe before reading the feed, so that nothing falls between.
    public func follow() -> CommitSubscription {
        store.commits(for: scope)
    }

    /// The counter: no change has a higher sequence.
    public func lastSequence() async throws -> Sequence {
        try await store.read { try $0.lastSequence }
    }
}
