import Dispatch
import GRDB
package import Storage
package import Telemetry

/// A store in an SQLite database: a folder `NAME.dualgauge` with `store.sqlite`, its write-ahead log, and a lock file.
///
/// One connection writes and several read, each on its own queue, so that no thread of Swift's pool blocks. Several processes can have a store
/// open: SQLite's locks isolate their transactions, and every transaction reads the counter again. Followers receive another process's commits at
/// the next poll, or at this process's next commit.
package final class SQLiteStore: StoreEngine {
    /// The newest schema, which this version writes.
    package static var schemaVersion: Int { SchemaVersion.newest }

    /// The store's folder.
    package let path: String

    let readers: ReaderPool
    private let writer: GroupWriter
    private let hub: CommitHub
    let poll: CommitPoll
    private let lock: StoreLock
    private let access: StoreAccess

    /// The reason why writes fail, or other processes cannot open the store, although it was opened for writing: the disk is full or read-only.
    /// Usually `nil`.
    package var restriction: String? { access.restriction }

    package var isShared: Bool { false }

    /// The counts and durations of commits and reads since the store was opened.
    package var metrics: MetricsRegistry { counts.registry }
    private let counts: StoreMetrics

    /// Opens the store in the folder at `path`, creates it if it is missing, and migrates its schema.
    ///
    /// On a full or read-only disk it is opened for reading if possible (``restriction``).
    ///
    /// Blocks.
    ///
    /// - Throws: ``StorageError``: `notFound` if it is missing and must not be created, `notAStore`, `newerSchema`, `olderSchema` for a store from
    ///   before the first release or that is only read, `corrupt`, `readOnly`, `full`, `busy`, `inputOutput`.
    package convenience init(path: String, options: Options = Options()) throws {
        try self.init(path: path, options: options, accesses: nil)
    }

    /// - Parameter accesses: The access modes to try; `nil` for the modes that follow from the disk and the options.
    init(path: String, options: Options, accesses: [StoreAccess]?) throws {
        self.path = path
        counts = StoreMetrics(options.metrics)
        hub = CommitHub(commits: counts.commits)
        do {
            try Self.prepareFolder(path, options)
            lock = try StoreLock(path: path + "/store.lock", createsIfMissing: !options.isReadOnly)
            try Self.refuseLostDatabase(path, options, lock)
            let database: DatabaseQueue
            let accesses = accesses ?? StoreAccess.candidates(isReadOnly: options.isReadOnly, isOnReadOnlyDisk: lock.isOnReadOnlyDisk)
            (database, access) = try Self.openWriter(path, options, accesses, lock)
            if !access.isReadOnly { lock.markStore() }
            lock.share()
            writer = GroupWriter(
                database: database, path: path, hub: hub, limit: options.groupLimit, time: options.groupTime, metrics: counts)
            try writer.recordState()
            poll = CommitPoll(interval: options.pollInterval) { [weak writer] done in writer?.lookForCommits(done: done) }
            readers = try ReaderPool(
                name: access.name(in: path), path: path, count: max(1, options.readerCount),
                configuration: Self.readerConfiguration(path, options, access), metrics: counts)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    package func write<Value: Sendable>(
        _ work: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await writer.write { try work($0) }
    }

    package func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try await readers.read(as: share) { try work($0) }
    }

    /// The number of published commits since the store was opened: own commits, and polls that found commits of other processes.
    package var commitCount: UInt64 { hub.number }

    /// Steps of SQLite's virtual machine for reads since the store was opened: a measure of the visited rows.
    package var stepsRead: UInt64 { UInt64(clamping: metrics.count(of: .storeSteps, [("kind", "read")])) }

    /// Steps of SQLite's virtual machine for commits since the store was opened.
    package var stepsWritten: UInt64 { UInt64(clamping: metrics.count(of: .storeSteps, [("kind", "write")])) }

    package var waiterCount: Int { hub.waiterCount }

    /// The number of waiting reads.
    package var queuedReads: Int { readers.queuedCount }

    /// The number of waiting writes.
    package var queuedWrites: Int { writer.queuedCount }

    package func commits() -> CommitSubscription {
        CommitSubscription(hub: hub, poll: poll, scope: nil)
    }

    package func commits(for scope: FeedScope) -> CommitSubscription {
        CommitSubscription(hub: hub, poll: poll, scope: scope)
    }

    package func close() async throws {
        await writer.drain()
        await readers.drain()
        hub.close()
        // Closing the last connection copies the log into the database, which would block a thread of Swift's pool.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async { [readers, writer, lock, path] in
                let result = Result {
                    try readers.close()
                    try writer.close()
                    lock.unlock()
                }
                continuation.resume(with: result.mapError { StorageError($0, path: path) })
            }
        }
    }
}

extension SQLiteStore {
    /// Options for opening a store.
    package struct Options: Sendable {
        /// Whether a missing store is created.
        package var createsIfMissing = true

        /// Whether the store is only read: no migration, no new files, and every write fails.
        package var isReadOnly = false

        /// The number of concurrent reads. Further reads wait.
        package var readerCount = 4

        /// The page cache of the writer, in bytes.
        package var writerCache = 8 << 20

        /// The page cache of each reader, in bytes.
        package var readerCache = 2 << 20

        /// The size of the write-ahead log, in pages of 4 KiB, at which SQLite copies it into the database. Document IDs are random, so the larger
        /// the log, the more often it has several changes of the same page, which is copied once.
        package var checkpointPages = 32_000

        /// The timeout for another process's write, in seconds.
        package var busyTimeout = 10.0

        /// The interval of the polls for other processes' commits while a follower waits.
        package var pollInterval = Duration.milliseconds(300)

        /// The maximum number of callers whose work shares a commit.
        package var groupLimit = 256

        /// The time during which a group accepts more work. It limits the latency of a commit.
        package var groupTime = Duration.milliseconds(25)

        /// The maximum number of pages of the file; `nil` for no limit. Writes beyond it fail as on a full disk.
        package var maximumPages: Int?

        /// Receives the store's counts and durations.
        package var metrics = MetricsRegistry()

        package init() {}
    }
}
