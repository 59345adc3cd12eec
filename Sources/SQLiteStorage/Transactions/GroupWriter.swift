import Coordination
import CoreMetrics
import GRDB
import Storage
import Telemetry
import Tracing

/// Runs the work of several callers in one transaction. Each caller resumes after the commit.
///
/// While a commit waits for the disk, the next callers queue up, so the group size adapts to the load.
final class GroupWriter: Sendable {
    /// The last state that was published to followers.
    struct Published {
        /// The counter after the last own commit or the last detected commit of another process; `nil` before the first.
        var sequence: SequenceNumber?

        /// SQLite's `data_version`, which changes with commits of other connections.
        var dataVersion: Int64?
    }

    let database: DatabaseQueue
    let path: String
    let hub: CommitHub
    let published = Lock(Published())

    private let metrics: StoreMetrics
    private let limit: Int
    private let time: Duration
    private let queue: JobQueue<SQLiteTransaction>

    init(database: DatabaseQueue, path: String, hub: CommitHub, limit: Int, time: Duration, metrics: StoreMetrics) {
        self.database = database
        self.path = path
        self.hub = hub
        self.limit = max(1, limit)
        self.time = time
        queue = JobQueue(workers: 1, path: path)
        self.metrics = metrics
    }

    /// Runs `work` in a transaction and returns when it is durable.
    func write<Value: Sendable>(_ work: @escaping @Sendable (SQLiteTransaction) throws -> Value) async throws -> Value {
        try await queue.perform(start: start, trace: BridgeTracer.spanContext, work)
    }

    /// The number of waiting writes.
    var queuedCount: Int { queue.count }

    /// Rejects further work, and waits for the present work.
    func drain() async {
        await queue.close()
    }

    /// Closes the connection. Blocks.
    func close() throws {
        try database.close()
    }

    private func start(_ worker: Int) {
        database.asyncWriteWithoutTransaction { database in self.work(on: database, worker) }
    }

    private func work(on database: Database, _ worker: Int) {
        repeat {
            do {
                try commitGroup(Connection(database, path: path))
            } catch {
                metrics.failedCommits.increment()
                // The transaction could not begin: the waiting callers get the error.
                for _ in 0..<limit {
                    guard let job = queue.take() else { break }
                    job.fail(error)
                }
            }
        } while !queue.rest(worker)
    }

    private func commitGroup(_ connection: Connection) throws {
        let start = ContinuousClock.now
        var group = try WriteGroup(connection)
        let deadline = ContinuousClock.now + time
        while group.count < limit, let job = queue.take() {
            guard group.add(job) else { return metrics.failedCommits.increment() }
            if ContinuousClock.now >= deadline { break }
        }
        let trace = CommitTrace(of: group.traces, jobs: group.count)
        guard let (commit, waiting) = group.commit(after: published.withLock { $0.sequence }) else {
            trace?.record(since: start, isFailed: true)
            return metrics.failedCommits.increment()
        }
        trace?.record(since: start)
        metrics.commitSteps.increment(by: connection.steps)
        metrics.commitTimes.add(since: start)
        published.withLock { $0.sequence = commit.sequence }
        if commit.touchesUnified || commit.touchesAccess || !commit.collections.isEmpty { hub.post(commit) }
        for resume in waiting { resume() }
    }
}

extension GroupWriter {
    /// Records the state of the store before the first follower. Earlier commits are not published.
    func recordState() throws {
        try database.inDatabase { database in
            let connection = try Connection(database, path: path)
            let version = try connection.first("PRAGMA data_version") { $0.integer(0) }
            let sequence = try SQLiteSnapshot(connection).storedSequence()
            published.withLock { $0 = Published(sequence: sequence, dataVersion: version) }
        }
    }

    /// Publishes the commits of other processes since the last poll, and then calls `done`.
    ///
    /// The poll runs on the writing connection: `data_version` changes with every commit except for the connection's own, and this connection is
    /// the only one of this process that commits.
    func lookForCommits(done: @escaping @Sendable () -> Void) {
        database.asyncWriteWithoutTransaction { database in
            defer { done() }
            // A closed or unreadable store has nothing to publish; its users get the error.
            guard let connection = try? Connection(database, path: self.path) else { return }
            try? self.lookForCommits(on: connection)
        }
    }

    private func lookForCommits(on connection: Connection) throws {
        let version = try connection.first("PRAGMA data_version") { $0.integer(0) }
        guard version != published.withLock({ $0.dataVersion }) else { return }
        let snapshot = SQLiteSnapshot(connection)
        let sequence = try snapshot.storedSequence()
        let collections = try snapshot.collections().map(\.key)
        let isNew = published.withLock { published in
            published.dataVersion = version
            defer { published.sequence = sequence }
            return published.sequence != sequence
        }
        // The changed documents and access are unknown without a search, so each follower reads its feed.
        if isNew { hub.post(Commit(sequence: sequence, touchesUnified: true, collections: Set(collections), access: .everyone)) }
    }
}
