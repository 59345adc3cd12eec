/// Where a database is kept. SQLite is behind it; another engine can be.
///
/// Reads see one consistent state and never wait for a writer. Writes of many callers share a transaction, and each
/// caller goes on after the commit that made its work durable.
public protocol Store: Sendable {
    /// Runs `work` in a transaction and returns when it is durable.
    ///
    /// Several callers' work may share one commit, in the order in which they asked. Work that throws leaves nothing
    /// behind and does not disturb the others; because of that it **may be run again**, so it must not have effects
    /// outside the transaction.
    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value

    /// Runs `work` on a snapshot. Keep it short: read in bounded batches, and do not carry the snapshot out of `work`.
    ///
    /// Where more is asked for than can be read at a time, clients take turns, and requests go before woken feeds.
    func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value

    /// Tells each follower of every commit from now on. A slow follower gets commits merged, never a queue.
    func commits() -> CommitSubscription

    /// Like `commits()`, but wakes only for commits that touch `scope`, or what anybody may see: a follower of a quiet collection costs
    /// nothing.
    func commits(for scope: FeedScope) -> CommitSubscription

    /// Waits for running work and closes the files.
    func close() async throws
}

extension Store {
    /// Runs `work` on a snapshot, for nobody in particular.
    public func read<Value: Sendable>(_ work: @escaping @Sendable (any StoreSnapshot) throws -> Value) async throws -> Value {
        try await read(as: ReadPriority(), work)
    }
}

/// Whose read it is, and what for: how the store's readers are shared.
public struct ReadPriority: Hashable, Sendable {
    /// The login whose reads take turns with those of others; `nil` for an administrator, and for work of the bridge's own.
    public var client: Grantee?

    /// Whether it is for a feed that was woken. Requests, for which somebody waits, go first.
    public var isFeed: Bool

    public init(client: Grantee? = nil, isFeed: Bool = false) {
        self.client = client
        self.isFeed = isFeed
    }
}
