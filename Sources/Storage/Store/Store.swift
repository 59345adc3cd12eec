/// The storage of a database. SQLite implements it; another engine can.
///
/// Reads see one consistent state and never wait for a writer. Writes of several callers share a transaction. Each caller resumes after the commit
/// that made its work durable.
package protocol Store: Sendable {
    /// Runs `work` in a transaction and returns when it is durable.
    ///
    /// Several callers' work may share one commit, in the order of their calls. Work that throws is rolled back and does not affect the others.
    /// Because of that, work **may run again**, so it must not have effects outside the transaction.
    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value

    /// Runs `work` on a snapshot. Keep it short: read in bounded batches, and do not carry the snapshot out of `work`.
    ///
    /// Under load clients take turns, and requests precede woken feeds.
    func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value

    /// Subscribes to all commits from now on. For a slow follower commits are merged, never queued.
    func commits() -> CommitSubscription

    /// Like `commits()`, but wakes only for commits that touch `scope` or change access. A follower of a quiet collection costs nothing.
    func commits(for scope: FeedScope) -> CommitSubscription

    /// Waits for running work and closes the files.
    func close() async throws
}

extension Store {
    /// Runs `work` on a snapshot, without a client.
    package func read<Value: Sendable>(_ work: @escaping @Sendable (any StoreSnapshot) throws -> Value) async throws -> Value {
        try await read(as: ReadPriority(), work)
    }
}

/// The client and purpose of a read, by which the store's readers are shared.
package struct ReadPriority: Hashable, Sendable {
    /// The login whose reads take turns with those of others; `nil` for an administrator, and for the bridge's own work.
    package var client: Grantee?

    /// Whether the read is for a woken feed. Requests, whose callers wait for a reply, go first.
    package var isFeed: Bool

    package init(client: Grantee? = nil, isFeed: Bool = false) {
        self.client = client
        self.isFeed = isFeed
    }
}
