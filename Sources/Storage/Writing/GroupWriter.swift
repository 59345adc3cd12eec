import GRDB
import Synchronization

/// Does the work of many callers in one transaction, and lets each go on after the commit.
///
/// While a commit waits for the disk the next callers gather, so groups grow with the load by themselves.
final class GroupWriter: Sendable {
    /// How far followers know of what is committed.
    struct Noticed {
        /// The counter after our last commit, or another process's that was noticed. Nil before the first.
        var sequence: Sequence?

        /// SQLite's number for the state in which other connections have left the file.
        var dataVersion: Int64?
    }

    let database: DatabaseQueue
    let path: String
    let hub: CommitHub
    let noticed = Mutex(Noticed())

    /// The steps of all commits so far.
    let steps = Counter()

    /// The durations of commits, with the work of all callers.
    let times = Latencies()

    /// Commits that the disk or SQLite has refused.
    let failures = Counter()

    private let limit: Int
    private let time: Duration
    private let queue: JobQueue<SQLiteTransaction>

    init(database: DatabaseQueue, path: String, hub: CommitHub, limit: Int, time: Duration) {
        self.database = database
        self.path = path
        self.hub = hub
        self.limit = max(1, limit)
        self.time = time
        queue = JobQueue(workers: 1, path: path)
    }

    /// Runs `work` in a transaction and returns when it is durable.
    func write<Value: Sendable>(_ work: @escaping @Sendable (SQLiteTransaction) throws -> Value) async throws -> Value {
        try await queue.perform(start: start, work)
    }

    /// How much work waits for its turn.
    var queuedCount: Int { queue.count }

    /// Takes in no more work, and waits for what is here.
    func rest() async {
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
                failures.add(1)
                // The transaction could not even begin: whoever waits now must know.
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
            guard group.add(job) else { return failures.add(1) }
            if ContinuousClock.now >= deadline { break }
        }
        guard let (commit, waiting) = group.commit(noticing: noticed.withLock { $0.sequence }) else { return failures.add(1) }
        steps.add(connection.steps)
        times.add(since: start)
        noticed.withLock { $0.sequence = commit.sequence }
        if commit.touchesUnified || commit.touchesAccess || !commit.collections.isEmpty { hub.post(commit) }
        for resume in waiting { resume() }
    }
}
