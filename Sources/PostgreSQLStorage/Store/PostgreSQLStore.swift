import Dispatch
import Foundation
package import Storage
package import Telemetry

/// A store in a schema of a PostgreSQL database.
///
/// One connection writes, several read, and one receives notifications. Several processes can have a store open: each writer locks the row in the
/// table `store` for its transaction, so commits become visible in the order of their sequences. Followers receive other processes' commits by
/// notifications, and by polls if notifications are lost.
///
/// A connection that was lost is made again at its next use. Until then reads and writes throw ``StorageError`` `inputOutput`.
package final class PostgreSQLStore: StoreEngine {
    /// The newest schema, which this version writes.
    package static var schemaVersion: Int { PostgreSQLSchema.newest }

    /// The server, the database and the schema, without the password.
    package let path: String

    private let readers: PostgreSQLReaders
    private let writer: PostgreSQLWriter
    private let isReadOnly: Bool
    let listener: CommitListener
    private let ledger: CommitLedger
    let hub: CommitHub
    let poll: CommitPoll
    private let counts: StoreMetrics
    let connector: PostgreSQLConnector

    /// `nil`: a server that is full or read-only refuses each write, and writes again when it can.
    package var restriction: String? { nil }

    package var isShared: Bool { true }

    /// The counts and durations of commits and reads since the store was opened.
    package var metrics: MetricsRegistry { counts.registry }

    /// Opens the store in a schema, creates it if it is missing, and migrates it.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - url: The server and the database as libpq reads them: `postgres://USER@HOST1,HOST2:5432/DATABASE?sslmode=verify-full`. The password comes
    ///     from `PGPASSWORD`, the file `passfile` or `~/.pgpass` unless the URL has it. With several hosts, the primary is found.
    ///   - schema: The name of the schema. One PostgreSQL database may have several stores.
    ///   - options: The options.
    /// - Throws: ``StorageError``: `invalidArgument` for an address that cannot be read; `notFound`, `notAStore`, `newerSchema`, `olderSchema` for a
    ///   store that is only read; `inputOutput` without a connection; `readOnly`, `busy`.
    package init(url: String, schema: String, options: Options = Options()) throws {
        let address = try PostgreSQLAddress(url: url, schema: schema, isReadOnly: options.isReadOnly)
        let anyStore = PostgreSQLConnector(
            address: address, statementTimeout: options.statementTimeout, lockTimeout: options.lockTimeout, idleTimeout: options.idleTimeout
        )
        path = address.description
        counts = StoreMetrics(options.metrics)
        hub = CommitHub(commits: counts.commits)
        let identity = withUnsafeBytes(of: UUID().uuid) { Array($0) }
        let promotions = PromotionCheck()
        let opening = try StoreOpening(anyStore, options, promotions)
        let connector = anyStore.limited(to: opening.uuid)
        self.connector = connector
        let ledger = CommitLedger(after: opening.commitNumber, hub: hub)
        self.ledger = ledger
        let isReadOnly = options.isReadOnly
        listener = CommitListener(
            PostgreSQLSession(connector) { if !isReadOnly { try promotions.requireCompared($0, known: ledger.highest) } },
            channel: opening.channel, writer: identity, ledger: ledger)
        writer = PostgreSQLWriter(
            SessionLane("store.writer", PostgreSQLSession(connector) { try promotions.run(on: $0, known: ledger.highest) }), path: path,
            writer: identity, channel: opening.channel, ledger: ledger,
            limits: PostgreSQLWriter.Limits(
                callers: max(1, options.groupLimit), time: options.groupTime, resolution: options.resolutionTimeout), metrics: counts)
        self.isReadOnly = isReadOnly
        poll = CommitPoll(interval: options.pollInterval) { [weak writer] done in writer?.lookForCommits(done: done) }
        readers = PostgreSQLReaders(count: max(1, options.readerCount), path: path, connector, metrics: counts) {
            if !isReadOnly { try promotions.requireCompared($0, known: ledger.highest) }
        }
        if options.listens { listener.start() }
    }

    package func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        guard !isReadOnly else { throw StorageError(.readOnly, "\(path): the store was opened for reading alone.") }
        return try await writer.write { try work($0) }
    }

    package func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try await readers.read(as: share) { [ledger] snapshot in
            ledger.show(snapshot.state.commitNumber)
            return try work(snapshot)
        }
    }

    package func commits() -> CommitSubscription { CommitSubscription(hub: hub, poll: poll, scope: nil) }

    package func commits(for scope: FeedScope) -> CommitSubscription { CommitSubscription(hub: hub, poll: poll, scope: scope) }

    /// The number of published commits since the store was opened: own commits, and those of other processes.
    package var commitCount: UInt64 { hub.number }

    package var waiterCount: Int { hub.waiterCount }

    /// The number of waiting reads.
    package var queuedReads: Int { readers.queuedCount }

    /// The number of waiting writes.
    package var queuedWrites: Int { writer.queuedCount }

    package func endWaits(begunBefore instant: ContinuousClock.Instant) { connector.waits.end(begunBefore: instant) }

    package func close() async throws {
        await writer.drain()
        await readers.drain()
        hub.close()
        // The end of a connection waits for work on its queue, which would block a thread of Swift's pool.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [readers, writer, listener] in
                listener.close()
                readers.close()
                writer.close()
                continuation.resume()
            }
        }
    }
}

extension PostgreSQLStore {
    /// Options for opening a store.
    package struct Options: Sendable {
        /// Whether a missing store is created.
        package var createsIfMissing = true

        /// Whether the store is only read: no migration, and every write fails. It may be on a standby then.
        package var isReadOnly = false

        /// The number of concurrent reads, each on a connection. Further reads wait.
        package var readerCount = 4

        /// The interval of the polls for other processes' commits while a follower waits.
        package var pollInterval = Duration.milliseconds(300)

        /// Whether notifications of other processes' commits are received. If not, only polls find them, for example behind a pool of connections
        /// that does not pass notifications on.
        package var listens = true

        /// The maximum number of callers whose work shares a commit.
        package var groupLimit = 256

        /// The time during which a group accepts more work. It limits the latency of a commit.
        package var groupTime = Duration.milliseconds(25)

        /// The server's limit of one statement.
        package var statementTimeout = Duration.seconds(60)

        /// The limit of the wait for other processes' writes.
        package var lockTimeout = Duration.seconds(10)

        /// The time after which the server ends a transaction of a process that is stopped. It blocks the other writers until then.
        package var idleTimeout = Duration.seconds(15)

        /// The limit of the search for a commit whose acknowledgement was lost with the connection.
        package var resolutionTimeout = Duration.seconds(30)

        /// Receives the store's counts and durations.
        package var metrics = MetricsRegistry()

        package init() {}
    }
}
