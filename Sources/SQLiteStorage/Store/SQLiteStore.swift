import Dispatch
import GRDB
public import Storage

/// A store in an SQLite database: a folder `NAME.dualgauge` with `store.sqlite`, its write-ahead log, and a lock file.
///
/// One connection writes and a few read, each on a queue of its own, so that no thread of Swift's pool is ever blocked. Several
/// processes can have a store open: SQLite's locks keep their transactions apart, and every transaction reads the counter anew.
/// Followers hear of another process's commits when they are looked for, or at this one's next commit.
public final class SQLiteStore: Store {
    /// The newest schema, which this version writes.
    package static var schemaVersion: Int { SchemaVersion.newest }

    /// The store's folder.
    public let path: String

    let readers: ReaderPool
    private let writer: GroupWriter
    private let hub = CommitHub()
    let poll: CommitPoll
    private let lock: StoreLock
    private let access: StoreAccess

    /// Why writes fail, or other processes cannot open the store, though it was opened for writing: the disk is full or read-only. `nil` as a rule.
    public var restriction: String? { access.restriction }

    /// Opens the store in the folder at `path`, creates it if it is not there, and brings its schema up to date.
    ///
    /// On a disk that is full or read-only it is opened for reading, as far as that can be (``restriction``).
    ///
    /// Blocks while it works.
    ///
    /// - Throws: ``StorageError``: `notFound` if there is nothing and nothing is to be created, `notAStore`, `newerSchema`,
    ///   `olderSchema` for a store that is only read, `corrupt`, `readOnly`, `full`, `busy`, `inputOutput`.
    public convenience init(path: String, options: Options = Options()) throws {
        try self.init(path: path, options: options, accesses: nil)
    }

    /// - Parameter accesses: The ways of opening it that are tried; `nil` for those that the disk and the options ask for.
    init(path: String, options: Options, accesses: [StoreAccess]?) throws {
        self.path = path
        do {
            try Self.prepareFolder(path, options)
            lock = try StoreLock(path: path + "/store.lock", createsIfMissing: !options.isReadOnly)
            try Self.refuseLostDatabase(path, options, lock)
            let database: DatabaseQueue
            let accesses = accesses ?? StoreAccess.candidates(isReadOnly: options.isReadOnly, isOnReadOnlyDisk: lock.isOnReadOnlyDisk)
            (database, access) = try Self.openWriter(path, options, accesses, lock)
            if !access.isReadOnly { lock.markStore() }
            lock.share()
            writer = GroupWriter(database: database, path: path, hub: hub, limit: options.groupLimit, time: options.groupTime)
            try writer.noteState()
            poll = CommitPoll(interval: options.pollInterval) { [weak writer] done in writer?.lookForCommits(done: done) }
            readers = try ReaderPool(
                name: access.name(in: path), path: path, count: max(1, options.readerCount),
                configuration: Self.readerConfiguration(path, options, access))
        } catch {
            throw StorageError(error, path: path)
        }
    }

    public func write<Value: Sendable>(
        _ work: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await writer.write { try work($0) }
    }

    public func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try await readers.read(as: share) { try work($0) }
    }

    /// How many commits followers have been told of since the store was opened: ours, and looks that found those of other processes.
    public var commitCount: UInt64 { hub.number }

    /// Steps of SQLite's virtual machine since the store was opened, of reads: a measure of the rows that were looked at.
    public var stepsRead: UInt64 { readers.steps.value }

    /// The same of commits.
    public var stepsWritten: UInt64 { writer.steps.value }

    /// The durations of reads since the store was opened: each read holds a connection for so long.
    package var readTimes: LatencyHistogram { readers.times.current }

    /// The durations of commits since the store was opened, with the work of all callers.
    package var commitTimes: LatencyHistogram { writer.times.current }

    /// The number of commits that the disk or SQLite has refused since the store was opened.
    package var failedCommits: UInt64 { writer.failures.value }

    /// How many followers wait for a commit.
    var waiterCount: Int { hub.waiterCount }

    /// How many reads wait for their turn.
    package var queuedReads: Int { readers.queuedCount }

    /// How much work waits for its turn to write.
    package var queuedWrites: Int { writer.queuedCount }

    public func commits() -> CommitSubscription {
        CommitSubscription(hub: hub, poll: poll, scope: nil)
    }

    public func commits(for scope: FeedScope) -> CommitSubscription {
        CommitSubscription(hub: hub, poll: poll, scope: scope)
    }

    public func close() async throws {
        await writer.rest()
        await readers.rest()
        hub.close()
        // Closing the last connection copies the log into the database, so it does not run on a thread of Swift's pool.
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
    /// How a store is opened.
    public struct Options: Sendable {
        /// Whether a store that is not there is created.
        public var createsIfMissing = true

        /// Whether nothing of the store is changed: its schema stays as it is, and every write fails. Nothing is created either.
        public var isReadOnly = false

        /// How many snapshots can be read at a time; more readers wait for their turn.
        public var readerCount = 4

        /// Bytes of page cache of the one writer.
        public var writerCache = 8 << 20

        /// Bytes of page cache of each reader.
        public var readerCache = 2 << 20

        /// Pages of 4 KiB after which the write-ahead log is copied into the database. Documents come under random IDs, so the more pages
        /// are copied at once, the more often one page has been changed more than once.
        public var checkpointPages = 32_000

        /// Seconds to wait for another process that is writing.
        public var busyTimeout = 10.0

        /// How often other processes' commits are looked for while somebody waits for one.
        public var pollInterval = Duration.milliseconds(300)

        /// The most callers whose work shares a commit.
        public var groupLimit = 256

        /// How long a group takes in more work, so that no caller waits long for its commit.
        public var groupTime = Duration.milliseconds(25)

        /// The most pages that the file may have; `nil` for no limit. Writes beyond it fail as on a full disk.
        public var maximumPages: Int?

        public init() {}
    }
}
