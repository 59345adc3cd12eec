import GRDB
import Storage

/// Reads snapshots on a few connections, each on a queue of its own.
///
/// GRDB's own pool asks for the schema's version and changes threads once more for each read, which takes longer than a lookup.
final class ReaderPool: Sendable {
    /// The steps of all reads so far.
    let steps = Counter()

    /// The durations of reads, each of which holds a connection.
    let times = Latencies()

    private let path: String
    private let readers: [DatabaseQueue]
    private let queue: JobQueue<Connection>

    /// - Parameters:
    ///   - name: The database's name for SQLite.
    ///   - path: The store's folder.
    init(name: String, path: String, count: Int, configuration: Configuration) throws {
        self.path = path
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

    /// Runs `work` on a connection that is in no transaction.
    func withConnection<Value: Sendable>(
        as share: ReadPriority = ReadPriority(), _ work: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await queue.perform(start: start, as: share, work)
    }

    /// How many reads wait for their turn.
    var queuedCount: Int { queue.count }

    /// Takes in no more reads, and waits for those that are here.
    func rest() async {
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
                    // Counted before the caller goes on, so that the caller finds them.
                    steps.add(connection.steps)
                    times.add(since: start)
                    resume()
                } catch {
                    job.fail(error)
                }
            }
        } while !queue.rest(index)
    }
}
