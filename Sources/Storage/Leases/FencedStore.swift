/// A store whose writes belong to work that one bridge at a time does. Each write checks in its own transaction that this bridge still does it.
package struct FencedStore: Store {
    private let base: any Store
    private let check: @Sendable (any StoreTransaction) throws -> Void

    /// - Parameter check: Throws if the work belongs to another bridge now.
    package init(_ base: any Store, check: @escaping @Sendable (any StoreTransaction) throws -> Void) {
        self.base = base
        self.check = check
    }

    package func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        let check = check
        return try await base.write { transaction in
            try check(transaction)
            return try work(transaction)
        }
    }

    package func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try await base.read(as: share, work)
    }

    package func commits() -> CommitSubscription { base.commits() }
    package func commits(for scope: FeedScope) -> CommitSubscription { base.commits(for: scope) }
    package func close() async throws { try await base.close() }
}
