import Coordination
import CoreMetrics
import Storage
import Telemetry
import Tracing

/// Runs the work of several callers in one transaction. Each caller resumes after the commit.
///
/// While a commit waits for the server, the next callers queue up, so the group size adapts to the load.
final class PostgreSQLWriter: Sendable {
    /// The limits of a group, and of the search for a lost commit.
    struct Limits: Sendable {
        let callers: Int
        let time: Duration
        let resolution: Duration
    }

    private struct State {
        var group: Int64 = 0
    }

    private let lane: SessionLane
    private let channel: String
    private let writer: [UInt8]
    private let ledger: CommitLedger
    private let limits: Limits
    private let metrics: StoreMetrics
    private let queue: JobQueue<PostgreSQLTransaction>
    private let state: Lock<State>

    /// How often a group is repeated after a deadlock or a serialization failure.
    private static let mostRepetitions = 5

    /// - Parameters:
    ///   - lane: The session that writes.
    ///   - writer: The UUID of the opened store.
    ///   - channel: The channel of notifications.
    init(
        _ lane: SessionLane, path: String, writer: [UInt8], channel: String, ledger: CommitLedger, limits: Limits, metrics: StoreMetrics
    ) {
        self.lane = lane
        self.writer = writer
        self.channel = channel
        self.ledger = ledger
        self.limits = limits
        self.metrics = metrics
        queue = JobQueue(workers: 1, path: path)
        state = Lock(State())
    }

    /// Runs `work` in a transaction and returns when it is durable.
    func write<Value: Sendable>(_ work: @escaping @Sendable (PostgreSQLTransaction) throws -> Value) async throws -> Value {
        try await queue.perform(start: start, trace: BridgeTracer.spanContext, work)
    }

    /// The number of waiting writes.
    var queuedCount: Int { queue.count }

    /// Rejects further work, and waits for the present work.
    func drain() async { await queue.close() }

    /// Ends the connection. Blocks.
    func close() { lane.close() }

    /// Publishes the commits of other processes of which no notification has come, and then calls `done`.
    func lookForCommits(done: @escaping @Sendable () -> Void) {
        lane.perform { session in
            defer { done() }
            // A server that is away has nothing to publish; the store's users get the error.
            guard let connection = try? session.connected() else { return }
            try? PostgreSQLSnapshot.read(connection) { try self.ledger.reach(in: $0) }
        }
    }

    private func start(_ worker: Int) {
        lane.perform { session in
            repeat {
                self.commitGroup(session)
            } while !self.queue.rest(worker)
        }
    }

    private func commitGroup(_ session: PostgreSQLSession) {
        let start = ContinuousClock.now
        var group = WaitingGroup(queue, limit: limits.callers, deadline: start + limits.time)
        do {
            guard let (number, commit, resumes) = try commit(&group, session) else { return }
            CommitTrace(of: group.traces, jobs: resumes.count)?.record(since: start)
            metrics.commitTimes.add(since: start)
            if let number { ledger.publish(commit, number: number) }
            for resume in resumes { resume() }
        } catch {
            CommitTrace(of: group.traces, jobs: group.jobs.count)?.record(since: start, isFailed: true)
            metrics.failedCommits.increment()
            group.fail(error)
        }
    }

    /// Runs a group until it is committed.
    ///
    /// - Returns: The number of the commit, if it concerns followers, its changes, and the closures that resume the callers; `nil` if no caller is
    ///   left.
    private func commit(
        _ group: inout WaitingGroup, _ session: PostgreSQLSession
    ) throws -> (Int64?, Commit, [@Sendable () -> Void])? {
        var isCareful = false
        var repetitions = 0
        while true {
            var run = try begin(session, isCareful: isCareful)
            let mark = WriterMark(writer: writer, group: nextGroup())
            let (old, new) = (run.transaction.state.commitNumber, run.transaction)
            var commit = new.changes.commit
            do {
                try group.run { try run.add($0) }
                commit = new.changes.commit
                guard !group.jobs.isEmpty else {
                    new.connection.rollBack()
                    return nil
                }
                commit = try run.commit(mark, notifying: channel)
            } catch {
                switch run.verdict(after: error) {
                case .failed(let error): throw error
                case .carefully:
                    isCareful = true
                    continue
                case .again(let error):
                    repetitions += 1
                    guard repetitions <= Self.mostRepetitions else { throw error }
                    continue
                case .lost(let error):
                    guard run.isCommitSent else { throw error }
                    guard try LostCommit(mark, limit: limits.resolution).wasMade(session) else { throw error }
                }
            }
            return (new.commitNumber == old ? nil : new.commitNumber, commit, run.resumes)
        }
    }

    private func nextGroup() -> Int64 {
        state.withLock { state in
            state.group += 1
            return state.group
        }
    }

    private func begin(_ session: PostgreSQLSession, isCareful: Bool) throws -> GroupRun {
        let connection = try session.connected()
        do {
            return try GroupRun(connection, isCareful: isCareful, session.channelKeys)
        } catch {
            if connection.failure?.error.code == .readOnly { session.drop() }
            // The server may have closed a connection that was not used for a time.
            guard connection.isLost else {
                connection.rollBack()
                throw error
            }
            return try GroupRun(session.connected(), isCareful: isCareful, session.channelKeys)
        }
    }
}

extension CommitLedger {
    /// Publishes the commits up to a snapshot of which nothing was heard.
    func reach(in snapshot: PostgreSQLSnapshot) throws {
        try reach(snapshot.state.commitNumber, snapshot.state.counter) { try snapshot.collections().map(\.key) }
    }
}
