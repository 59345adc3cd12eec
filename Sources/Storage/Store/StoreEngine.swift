package import Telemetry

/// A store as an engine opens it: the storage of a database, and the facts about it that operators see.
package protocol StoreEngine: Store {
    /// The store's place for messages and logs, such as its folder. It has no password.
    var path: String { get }

    /// The counts and durations of commits and reads since the store was opened.
    var metrics: MetricsRegistry { get }

    /// The reason why writes fail, or other processes cannot open the store, although it was opened for writing. Usually `nil`.
    var restriction: String? { get }

    /// Whether bridges on other machines may have the store open, too. Work that must run once then needs a lease.
    var isShared: Bool { get }

    /// The number of published commits since the store was opened: own commits, and those of other processes that were found.
    var commitCount: UInt64 { get }

    /// The number of followers that wait for a commit.
    var waiterCount: Int { get }

    /// The number of waiting reads.
    var queuedReads: Int { get }

    /// The number of waiting writes.
    var queuedWrites: Int { get }

    /// Ends the waits for the store's server that began before an instant. They throw ``StorageError`` `inputOutput`.
    ///
    /// A stopped server keeps its connections open, and a statement may take long, so a connection alone cannot tell that its server is away.
    func endWaits(begunBefore instant: ContinuousClock.Instant)

    /// Checks the whole store: the engine's own structures, documents, bodies, references, and all attachment bytes.
    ///
    /// The check reads one snapshot in constant memory, while the store is in use.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of described problems; all are counted.
    ///   - progress: Called regularly on the check's thread.
    /// - Throws: ``StorageError`` if the store cannot be read at all; `CancellationError`.
    func check(limit: Int, progress: @escaping @Sendable (CheckProgress) -> Void) async throws -> CheckReport
}

extension StoreEngine {
    /// A store on this machine's disk has no server.
    package func endWaits(begunBefore instant: ContinuousClock.Instant) {}

    /// Checks the whole store, without reports of progress.
    ///
    /// - Parameter limit: The maximum number of described problems; all are counted.
    package func check(limit: Int = 100) async throws -> CheckReport {
        try await check(limit: limit) { _ in }
    }
}

/// Options for opening a store that every engine has.
package struct StoreOptions: Sendable {
    /// Whether a missing store is created.
    package var createsIfMissing = true

    /// Whether the store is only read: no migration, and every write fails.
    package var isReadOnly = false

    /// Receives the store's counts and durations.
    package var metrics = MetricsRegistry()

    package init(createsIfMissing: Bool = true, isReadOnly: Bool = false, metrics: MetricsRegistry = MetricsRegistry()) {
        self.createsIfMissing = createsIfMissing
        self.isReadOnly = isReadOnly
        self.metrics = metrics
    }
}

/// A read-only inspection of a store, without migration and without new files.
package struct StoreInspection: Sendable {
    /// A collection and its number of documents, including tombstones.
    package struct Collection: Hashable, Sendable {
        package let scope: String
        package let name: String
        package let documents: Int64

        package init(scope: String, name: String, documents: Int64) {
            self.scope = scope
            self.name = name
            self.documents = documents
        }
    }

    package let collections: [Collection]

    package init(collections: [Collection]) {
        self.collections = collections
    }
}
