import GRDB
import Synchronization

/// Does the work of many callers in one transaction, and lets each go on after the commit.
///
/// While a commit waits for the disk the next callers gather, so groups grow with the load by themselves.
final class GroupWriter: Sendable {
    private let pool: DatabasePool
    private let path: String
    private let hub: CommitHub
    private let limit: Int
    private let time: Duration
    private let queue = WriteQueue()

    /// The counter after our last commit, to notice another process's. Nil before the first.
    private let lastSequence = Mutex<Sequence?>(nil)

    init(pool: DatabasePool, path: String, hub: CommitHub, limit: Int, time: Duration) {
        self.pool = pool
        self.path = path
        self.hub = hub
        self.limit = max(1, limit)
        self.time = time
    }

    func write<Value: Sendable>(
        _ work: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        let id = queue.nextID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(WriteJob(id: id) { transaction in
                    let value = try work(transaction)
                    return { continuation.resume(returning: value) }
                } fail: { error in
                    continuation.resume(throwing: error)
                })
            }
        } onCancel: {
            queue.cancel(id)?.fail(CancellationError())
        }
    }

    /// Takes in no more work, and waits for what is here.
    func close() async {
        await queue.close()
    }

    private func add(_ job: WriteJob) {
        switch queue.add(job) {
        case .queued: break
        case .first: pool.asyncWriteWithoutTransaction { database in self.work(on: database) }
        case .closed: job.fail(StorageError(.closed, "\(path): the store was closed."))
        case .cancelled: job.fail(CancellationError())
        }
    }

    private func work(on database: Database) {
        repeat {
            do {
                try commitGroup(Connection(database, path: path))
            } catch {
                // The transaction could not even begin: whoever waits now must know.
                for _ in 0..<limit {
                    guard let job = queue.take() else { break }
                    job.fail(error)
                }
            }
        } while !queue.rest()
    }

    private func commitGroup(_ connection: Connection) throws {
        var group = try WriteGroup(connection)
        let deadline = ContinuousClock.now + time
        while group.count < limit, let job = queue.take() {
            guard group.add(job) else { return }
            if ContinuousClock.now >= deadline { break }
        }
        guard let (commit, waiting) = group.commit(noticing: lastSequence.withLock { $0 }) else { return }
        lastSequence.withLock { $0 = commit.sequence }
        if commit.touchesUnified || !commit.collections.isEmpty { hub.post(commit) }
        for resume in waiting { resume() }
    }
}
