public import Documents
package import Gateway
package import Storage

/// The changes of a ``LocalCollection``, from the time at which it was asked for them.
///
/// ```swift
/// for try await changes in try await orders.changes() {
///     for change in changes { print(change.id, change.isDeleted ? "deleted" : "saved") }
/// }
/// ```
///
/// The sequence waits for the next change, and ends when the database is closed or the task is cancelled. Each iterator begins at the same
/// place. A slow consumer misses no document: of several changes of one document it may get the last only.
public struct DocumentChanges: AsyncSequence, Sendable {
    /// The documents that have changed, each once, in the order of their last change; at most 1,000.
    public typealias Element = [DocumentChange]

    let keyspace: Keyspace
    let commits: CommitSubscription
    let since: FeedPosition

    package init(keyspace: Keyspace, commits: CommitSubscription, since: FeedPosition) {
        self.keyspace = keyspace
        self.commits = commits
        self.since = since
    }

    /// Begins to read the changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(keyspace: keyspace, commits: commits, waiter: FeedWaiter(following: commits), position: since)
    }

    /// Reads the changes one batch after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let keyspace: Keyspace
        let commits: CommitSubscription
        let waiter: FeedWaiter
        var position: FeedPosition

        /// Waits for changes.
        ///
        /// - Returns: `nil` once the database is closed or the task is cancelled.
        /// - Throws: ``LocalStoreError`` with code `unavailable`.
        public mutating func next() async throws -> [DocumentChange]? {
            do {
                while !waiter.hasEnded {
                    guard let batch = try await batch() else { return nil }
                    position = batch.position
                    let changes = batch.rows.compactMap(DocumentChange.init)
                    if !changes.isEmpty { return changes }
                    if batch.isCaughtUp { _ = try await waiter.next() }
                }
            } catch is CancellationError {}
            return nil
        }

        /// - Returns: `nil` if the database is closed.
        private func batch() async throws -> ChangesBatch? {
            var query = ChangesQuery()
            query.since = position
            return try await LocalStoreError.translating { [query] in
                do {
                    return try await keyspace.changes(query, following: commits)
                } catch let error as StorageError where error.code == .closed {
                    return nil
                }
            }
        }
    }
}

/// A document that has changed.
public struct DocumentChange: Hashable, Sendable, Identifiable {
    /// The document's ID in the collection.
    public let id: String

    /// The revision that is current since the change.
    public let revision: RevisionID

    /// Whether the document was deleted.
    public let isDeleted: Bool

    init?(_ row: ChangeRow) {
        guard let revision = RevisionID(row.revision) else { return nil }
        id = row.id
        self.revision = revision
        isDeleted = row.isDeleted
    }
}
