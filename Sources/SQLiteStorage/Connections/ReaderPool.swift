import CoreMetrics
import GRDB
import Storage
import Telemetry

/// Reads snapshots on a fixed number of connections, each with its own queue.
///
/// GRDB's own pool queries the schema version and switches threads once more for each read, which takes longer than a lookup.
final class ReaderPool: Sendable {
    private let metrics: StoreMetrics
    private let path: String
    private let readers: [DatabaseQueue]
    private let queue: JobQueue<Connection>

    /// - Parameters:
    ///   - name: SQLite's name of the database: a path or URI.
    ///   - path: The store's folder.
    init(name: String, path: String, count: Int, configuration: Configuration, metrics: StoreMetrics) throws {
        self.path = path
        self.metrics = metrics
        readers = try (0..<count).map { _ in try DatabaseQueue(path: name, configuration: configuration) }
        queue = JobQueue(workers: count, path: path)
    }

    /// Runs `work` on a snapshot.
    func read<Value: Sendable>(
        as share: ReadPriority = ReadPriority(), _ work: @escaping @Sendable (SQLiteSnapshot) throws -> Value
    ) async throws -> Value {
        try await withConnection(as: share) { connection in
            try connection.run("BEGIN")
            defer { connection.rollBack() }
            return try work(SQLiteSnapshot(connection))
        }
    }

    /// Runs `work` on a connection outside of a transaction.
    func withConnection<Value: Sendable>(
        as share: ReadPriority = ReadPriority(), _ work: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await queue.perform(start: start, as: share, work)
    }

    /// The number of waiting reads.
    var queuedCount: Int { queue.count }

    /// Rejects further reads, and waits for the present ones.
    func drain() async {
        await queue.close()
    }

    /// Closes the connections. Blocks.
    func close() throws {
        for reader in readers { try reader.close() }
    }

    private func start(_ index: Int) {
        readers[index].asyncWriteWithoutTransaction { database in self.work(on: database, index) }
    }

    private func work(on database: Database, _ index: Int) {
        repeat {
            while let job = queue.take() {
                let start = ContinuousClock.now
                do {
                    let connection = try Connection(database, path: path)
                    let resume = try job.run(connection)
                    // Count before the caller resumes, so that it sees the new values.
                    metrics.readSteps.increment(by: connection.steps)
                    metrics.readTimes.add(since: start)
                    resume()
                } catch {
                    job.fail(error)
                }
            }
        } while !queue.rest(index)
    }
}
