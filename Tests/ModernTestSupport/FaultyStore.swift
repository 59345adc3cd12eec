import Coordination
package import Storage

/// A store that can be made to fail, as a full disk does, and that can be inspected in the state that a crash after a write would leave.
package final class FaultyStore: Store {
    private let store: any Store
    private let fault = Lock<(any Error)?>(nil)
    private let inspection = Lock<(@Sendable (any StoreSnapshot) throws -> Void)?>(nil)

    package init(_ store: any Store) {
        self.store = store
    }

    /// Makes every write and read throw this error; `nil` ends that.
    package func fail(with error: (any Error)?) {
        fault.withLock { $0 = error }
    }

    /// Sets the inspection that runs after each write.
    package func inspect(_ inspection: @escaping @Sendable (any StoreSnapshot) throws -> Void) {
        self.inspection.withLock { $0 = inspection }
    }

    package func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        try check()
        let value = try await store.write(work)
        if let inspect = inspection.withLock({ $0 }) { try await store.read { try inspect($0) } }
        return value
    }

    package func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try check()
        return try await store.read(as: share, work)
    }

    package func commits() -> CommitSubscription { store.commits() }
    package func commits(for scope: FeedScope) -> CommitSubscription { store.commits(for: scope) }
    package func close() async throws { try await store.close() }

    private func check() throws {
        if let error = fault.withLock({ $0 }) { throw error }
    }
}
