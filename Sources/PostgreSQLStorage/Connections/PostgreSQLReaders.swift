import CoreMetrics
import Storage
import Telemetry

/// Reads snapshots on a fixed number of connections, each with its own queue.
final class PostgreSQLReaders: Sendable {
    private let lanes: [SessionLane]
    private let queue: JobQueue<PostgreSQLSession>
    private let metrics: StoreMetrics

    /// The connections are made when they are needed.
    ///
    /// - Parameter prepare: Called with each new connection.
    init(
        count: Int, path: String, _ connector: PostgreSQLConnector, metrics: StoreMetrics,
        prepare: @escaping @Sendable (PostgreSQLConnection) throws -> Void
    ) {
        lanes = (0..<count).map { SessionLane("store.reader.\($0)", PostgreSQLSession(connector, prepare: prepare)) }
        queue = JobQueue(workers: count, path: path)
        self.metrics = metrics
    }

    /// Runs `work` on a snapshot.
    func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (PostgreSQLSnapshot) throws -> Value
    ) async throws -> Value {
        try await queue.perform(start: start, as: share) { session in try session.read(work) }
    }

    /// The number of waiting reads.
    var queuedCount: Int { queue.count }

    /// Rejects further reads, and waits for the present ones.
    func drain() async { await queue.close() }

    /// Ends the connections. Blocks.
    func close() {
        for lane in lanes { lane.close() }
    }

    private func start(_ index: Int) {
        lanes[index].perform { session in
            repeat {
                while let job = self.queue.take() { self.run(job, session) }
            } while !self.queue.rest(index)
        }
    }

    private func run(_ job: Job<PostgreSQLSession>, _ session: PostgreSQLSession) {
        let start = ContinuousClock.now
        do {
            let resume = try job.run(session)
            // Count before the caller resumes, so that it sees the new values.
            metrics.readTimes.add(since: start)
            resume()
        } catch {
            job.fail(error)
        }
    }
}

extension PostgreSQLSession {
    /// Runs `work` on a snapshot. Connects once more if the server has closed a connection that was not used for a time.
    func read<Value>(_ work: (PostgreSQLSnapshot) throws -> Value) throws -> Value {
        let connection = try connected()
        var hasBegun = false
        do {
            return try PostgreSQLSnapshot.read(connection) { snapshot in
                hasBegun = true
                return try work(snapshot)
            }
        } catch {
            guard connection.isLost, !hasBegun else { throw error }
            return try PostgreSQLSnapshot.read(connected(), work)
        }
    }
}
