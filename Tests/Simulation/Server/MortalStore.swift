import Foundation
import SQLiteStorage
import Storage
import Synchronization

/// A store that can be made to die at a commit: what is on the disk then is kept, and nothing works from there on.
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
    private let state = Mutex(State())

    /// Ends when it is dead, and its connections are broken.
    private let (life, death) = AsyncStream.makeStream(of: Void.self)

    /// - Parameters:
    ///   - remains: the folder into which the files are copied as a crash leaves them.
    ///   - onDeath: called when it has happened.
    init(_ store: SQLiteStore, remains: String, onDeath: @escaping @Sendable () async -> Void) {
        self.store = store
        self.remains = remains
        self.onDeath = onDeath
    }

    var isDead: Bool { state.withLock { $0.isDead } }

    /// Dies at a commit, counted from 0, or lives on.
    func arm(_ fault: Fault?) {
        state.withLock { state in
            state.commitsLeft = fault.flatMap { $0.isCrash ? $0.position : nil }
            state.commits = fault?.kind == .crashAfterCommit
        }
    }

    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        // What others write at the same time is on the disk before, or not at all: nobody hears of a commit that is not there.
        if state.withLock({ $0.isDying }) {
            for await _ in life {}
            throw Dead()
        }
        guard comesToDie() else { return try await store.write(work) }
        // The server dies with a commit that fails, too.
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

    /// Whether this is the commit.
    private func comesToDie() -> Bool {
        state.withLock { state in
            guard let left = state.commitsLeft else { return false }
            state.commitsLeft = left == 0 ? nil : left - 1
            state.isDying = left == 0
            return left == 0
        }
    }
}
