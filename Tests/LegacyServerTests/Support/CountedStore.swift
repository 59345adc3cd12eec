import Coordination
import Storage

/// Counts the snapshots that are read.
final class ReadCount: Sendable {
    private let counts = Lock((all: 0, open: 0))

    /// The number of all reads.
    var value: Int { counts.withLock { $0.all } }

    /// The number of reads in progress.
    var open: Int { counts.withLock { $0.open } }

    fileprivate func begin() {
        counts.withLock { $0 = ($0.all + 1, $0.open + 1) }
    }

    fileprivate func end() {
        counts.withLock { $0.open -= 1 }
    }
}

/// A store whose reads are counted.
struct CountedStore: Store {
    let store: any Store
    let count: ReadCount

    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        try await store.write(work)
    }

    func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        count.begin()
        defer { count.end() }
        return try await store.read(as: share, work)
    }

    func commits() -> CommitSubscription { store.commits() }
    func commits(for scope: FeedScope) -> CommitSubscription { store.commits(for: scope) }
    func close() async throws { try await store.close() }
}
