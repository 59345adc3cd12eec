import Storage
import Synchronization

/// A store that can be made to fail, as a full disk does.
final class FaultyStore: Store {
    private let store: any Store
    private let fault = Mutex<(any Error)?>(nil)

    init(_ store: any Store) {
        self.store = store
    }

    /// Has every write and read throw this, or no more.
    func fail(with error: (any Error)?) {
        fault.withLock { $0 = error }
    }

    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        try check()
        return try await store.write(work)
    }

    func read<Value: Sendable>(_ work: @escaping @Sendable (any StoreSnapshot) throws -> Value) async throws -> Value {
        try check()
        return try await store.read(work)
    }

    func commits() -> CommitSubscription { store.commits() }
    func commits(for scope: FeedScope) -> CommitSubscription { store.commits(for: scope) }
    func close() async throws { try await store.close() }

    private func check() throws {
        if let error = fault.withLock({ $0 }) { throw error }
    }
}
