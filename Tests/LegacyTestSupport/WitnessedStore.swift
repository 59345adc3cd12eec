import Coordination
package import Storage

/// Inspects a store after each write, in the state that a crash at that time would leave.
package final class StoreWitness: Sendable {
    private let inspection = Lock<@Sendable (any StoreSnapshot) throws -> Void>({ _ in })

    package init() {}

    /// Sets the inspection for the next writes.
    package func inspect(_ inspection: @escaping @Sendable (any StoreSnapshot) throws -> Void) {
        self.inspection.withLock { $0 = inspection }
    }

    fileprivate var currentInspection: @Sendable (any StoreSnapshot) throws -> Void { inspection.withLock { $0 } }
}

/// A store that a witness inspects after each write.
package struct WitnessedStore: Store {
    private let store: any Store
    private let witness: StoreWitness

    package init(_ store: any Store, _ witness: StoreWitness) {
        self.store = store
        self.witness = witness
    }

    package func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        let value = try await store.write(work)
        let inspect = witness.currentInspection
        try await store.read { try inspect($0) }
        return value
    }

    package func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try await store.read(as: share, work)
    }

    package func commits() -> CommitSubscription { store.commits() }
    package func commits(for scope: FeedScope) -> CommitSubscription { store.commits(for: scope) }
    package func close() async throws { try await store.close() }
}
