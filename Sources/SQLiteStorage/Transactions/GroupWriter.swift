import GRDB
import Storage
import Synchronization

/// Does the work of many callers in one transaction, and lets each go on after the commit.
///
/// While a commit waits for the disk the next callers gather, so groups grow with the load by themselves.
final class GroupWriter: Sendable {
    /// How far followers know of what is committed.
    struct Noticed {
        /// The counter after our last commit, or another process's that was noticed. Nil before the first.
        var sequence: SequenceNumber?

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

extension GroupWriter {
    /// Notes where the store stands before anybody follows it: what was committed until now is news to nobody.
    func noteState() throws {
        try database.inDatabase { database in
            let connection = try Connection(database, path: path)
            let version = try connection.first("PRAGMA data_version") { $0.integer(0) }
            let sequence = try SQLiteSnapshot(connection).storedSequence()
            noticed.withLock { $0 = Noticed(sequence: sequence, dataVersion: version) }
        }
    }

    /// Tells followers of what other processes have committed since the last look, and then calls `done`.
    ///
    /// It looks on the connection that writes: for SQLite every commit but that connection's own is another's, and among ours it is the only
    /// one that commits.
    func lookForCommits(done: @escaping @Sendable () -> Void) {
        database.asyncWriteWithoutTransaction { database in
            defer { done() }
            // A store that is closed, or cannot be read now, has nothing to tell; whoever uses it hears why.
            guard let connection = try? Connection(database, path: self.path) else { return }
            try? self.lookForCommits(on: connection)
        }
    }

    private func lookForCommits(on connection: Connection) throws {
        let version = try connection.first("PRAGMA data_version") { $0.integer(0) }
        guard version != noticed.withLock({ $0.dataVersion }) else { return }
        let snapshot = SQLiteSnapshot(connection)
        let sequence = try snapshot.storedSequence()
        let collections = try snapshot.collections().map(\.key)
        let isNew = noticed.withLock { noticed in
            noticed.dataVersion = version
            defer { noticed.sequence = sequence }
            return noticed.sequence != sequence
        }
        // Which documents it were, and whose access, would have to be searched for: each follower does that for itself.
        if isNew { hub.post(Commit(sequence: sequence, touchesUnified: true, collections: Set(collections), access: .everyone)) }
    }
}
