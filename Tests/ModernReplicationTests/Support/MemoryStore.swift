import Foundation
import Storage
import Synchronization

/// A store in memory: for tests that measure what the session itself costs.
///
/// It has no transactions to speak of: work that throws must not have changed anything, as is so of the gateway's.
final class MemoryStore: Store {
    /// Guarded by `lock`, through `write` and `read` alone.
    private nonisolated(unsafe) let state = MemoryState()
    private let lock = NSLock()
    private let followers = Mutex<[AsyncStream<Commit>.Continuation]>([])

    private let fault = Mutex<(any Error)?>(nil)

    /// Has every write and read throw this: a disk that fails.
    func fail(with error: (any Error)?) {
        fault.withLock { $0 = error }
    }

    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        if let error = fault.withLock({ $0 }) { throw error }
        let value = try lock.withLock { try work(state) }
        if let commit = lock.withLock({ state.takeCommit() }) {
            followers.withLock { $0.forEach { _ = $0.yield(commit) } }
        }
        return value
    }

    func read<Value: Sendable>(_ work: @escaping @Sendable (any StoreSnapshot) throws -> Value) async throws -> Value {
        if let error = fault.withLock({ $0 }) { throw error }
        return try lock.withLock { try work(state) }
    }

    func commits() -> CommitSubscription {
        let (stream, continuation) = AsyncStream<Commit>.makeStream()
        followers.withLock { $0.append(continuation) }
        return CommitSubscription(stream: stream)
    }

    func close() async throws {
        followers.withLock { $0.forEach { $0.finish() } }
    }
}
