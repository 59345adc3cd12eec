import Coordination
import Foundation
import SQLiteStorage
import Storage

/// A store with a scheduled crash at a commit: the files of that moment are kept, and later operations fail.
final class MortalStore: Store {
    struct Dead: Error {}

    private struct State {
        var commitsLeft: Int?
        var commits = false
        var isDying = false
        var isDead = false
    }

    private let store: SQLiteStore
    private let remains: String
    private let onDeath: @Sendable () async -> Void
    private let state = Lock(State())

    /// Ends after the crash, when the connections are closed.
    private let (life, death) = AsyncStream.makeStream(of: Void.self)

    /// - Parameters:
    ///   - remains: The folder for the files after a crash.
    ///   - onDeath: Called after the crash.
    init(_ store: SQLiteStore, remains: String, onDeath: @escaping @Sendable () async -> Void) {
        self.store = store
        self.remains = remains
        self.onDeath = onDeath
    }

    var isDead: Bool { state.withLock { $0.isDead } }

    /// Schedules a crash at a commit, counted from 0, or none.
    func arm(_ fault: Fault?) {
        state.withLock { state in
            state.commitsLeft = fault.flatMap { $0.isCrash ? $0.position : nil }
            state.commits = fault?.kind == .crashAfterCommit
        }
    }

    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        // Concurrent writes are on the disk before, or not at all: no client gets an acknowledgement of a missing commit.
        if state.withLock({ $0.isDying }) {
            for await _ in life {}
            throw Dead()
        }
        guard reachesCrash() else { return try await store.write(work) }
        // The server also crashes with a commit that fails.
        if state.withLock({ $0.commits }) { _ = try? await store.write(work) } else { try await store.write { _ in } }
        try FileManager.default.copyItem(atPath: store.path, toPath: remains)
        state.withLock { $0.isDead = true }
        await onDeath()
        death.finish()
        throw Dead()
    }

    func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try check()
        return try await store.read(as: share, work)
    }

    /// Writes a copy into a new file.
    func backup(to file: String) async throws { try await store.backup(to: file) }

    func commits() -> CommitSubscription { store.commits() }
    func commits(for scope: FeedScope) -> CommitSubscription { store.commits(for: scope) }
    func close() async throws { try await store.close() }

    private func check() throws {
        if isDead { throw Dead() }
    }

    /// Whether this is the scheduled commit.
    private func reachesCrash() -> Bool {
        state.withLock { state in
            guard let left = state.commitsLeft else { return false }
            state.commitsLeft = left == 0 ? nil : left - 1
            state.isDying = left == 0
            return left == 0
        }
    }
}
