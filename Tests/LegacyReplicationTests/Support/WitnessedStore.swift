import Storage
import Synchronization

/// Sees a store as it would be found after a crash: at least once between any two writes of one caller.
final class StoreWitness: Sendable {
    private let look = Mutex<@Sendable (any StoreSnapshot) throws -> Void>({ _ in })

    /// What to look for from now on.
    func look(_ look: @escaping @Sendable (any StoreSnapshot) throws -> Void) {
        self.look.withLock { $0 = look }
    }

    fileprivate var looking: @Sendable (any StoreSnapshot) throws -> Void { look.withLock { $0 } }
}

/// A store that is shown to a witness after each write.
struct WitnessedStore: Store {
    private let store: any Store
    private let witness: StoreWitness

    init(_ store: any Store, _ witness: StoreWitness) {
        self.store = store
        self.witness = witness
    }

    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        let value = try await store.write(work)
        let look = witness.looking
        try await store.read { try look($0) }
        return value
    }

    func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try await store.read(as: share, work)
    }

    func commits() -> CommitSubscription { store.commits() }
    func commits(for scope: FeedScope) -> CommitSubscription { store.commits(for: scope) }
    func close() async throws { try await store.close() }
}
