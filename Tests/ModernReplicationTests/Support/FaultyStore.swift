import Storage
import Synchronization

/// A store that can be made to fail, as a full disk does, and that can be looked at as a crash after each write would leave it.
final class FaultyStore: Store {
    private let store: any Store
    private let fault = Mutex<(any Error)?>(nil)
    private let look = Mutex<(@Sendable (any StoreSnapshot) throws -> Void)?>(nil)

    init(_ store: any Store) {
        self.store = store
    }

    /// Has every write and read throw this, or no more.
    func fail(with error: (any Error)?) {
        fault.withLock { $0 = error }
    }

    /// Has the store looked at after each write.
    func look(_ look: @escaping @Sendable (any StoreSnapshot) throws -> Void) {
        self.look.withLock { $0 = look }
    }

    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        try check()
        let value = try await store.write(work)
        if let look = look.withLock({ $0 }) { try await store.read { try look($0) } }
        return value
    }

    func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try check()
        return try await store.read(as: share, work)
    }

    func commits() -> CommitSubscription { store.commits() }
    func commits(for scope: FeedScope) -> CommitSubscription { store.commits(for: scope) }
    func close() async throws { try await store.close() }

    private func check() throws {
        if let error = fault.withLock({ $0 }) { throw error }
    }
}
