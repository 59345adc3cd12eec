import Coordination
import Storage
import TestSupport

/// A store with a scheduled fault at a commit: its process crashes, or its connections to the engine end.
///
/// After a crash later operations fail, and what the engine has committed stays.
final class MortalStore: Store {
    struct Dead: Error {}

    private struct State {
        var fault: Fault.Kind?
        var commitsLeft: Int?
        var isDying = false
        var isDead = false
        var pause: Pause?
        var isRefused = false
        var refusedWrites = 0
    }

    private let opened: OpenedStore
    private let onDeath: @Sendable () async -> Void
    private let onLoss: @Sendable () -> Void
    private let state = Lock(State())

    /// Ends after the crash, when the connections are closed.
    private let (life, death) = AsyncStream.makeStream(of: Void.self)

    /// - Parameters:
    ///   - onDeath: Called after the crash.
    ///   - onLoss: Called after an operation that has failed because the engine is away.
    init(_ opened: OpenedStore, onDeath: @escaping @Sendable () async -> Void, onLoss: @escaping @Sendable () -> Void = {}) {
        self.opened = opened
        self.onDeath = onDeath
        self.onLoss = onLoss
    }

    /// The store without faults.
    var engine: any StoreEngine { opened.engine }

    var isDead: Bool { state.withLock { $0.isDead } }

    /// Whether the engine cannot be reached.
    var isCutOff: Bool { opened.connections?.isShut ?? false }

    /// Whether the scheduled fault has occurred.
    var hasReachedFault: Bool { state.withLock { $0.fault != nil && $0.commitsLeft == nil } }

    /// Schedules a fault at a commit, counted from 0, or none.
    func arm(_ fault: Fault?) {
        state.withLock { state in
            state.commitsLeft = fault.flatMap { $0.isAtCommit ? $0.position : nil }
            state.fault = fault?.kind
        }
    }

    /// Stops the process at a commit, counted from 0.
    func arm(_ pause: Pause?, at position: Int = 0) {
        state.withLock { state in
            (state.pause, state.fault) = (pause, nil)
            state.commitsLeft = pause == nil ? nil : position
        }
    }

    /// Cuts all bridges off from the engine.
    func cutAll() { opened.cutAll() }

    /// From now on successful writes are counted, because none may succeed, or no longer.
    ///
    /// - Returns: The number of writes that have succeeded.
    @discardableResult
    func refuseWrites(_ isRefused: Bool) -> Int {
        state.withLock { state in
            defer { (state.isRefused, state.refusedWrites) = (isRefused, 0) }
            return state.refusedWrites
        }
    }

    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        // Concurrent writes are on the disk before, or not at all: no client gets an acknowledgement of a missing commit.
        if state.withLock({ $0.isDying }) {
            for await _ in life {}
            throw Dead()
        }
        let value = try await watched { try await self.written(work) }
        state.withLock { if $0.isRefused { $0.refusedWrites += 1 } }
        return value
    }

    private func written<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        let store = engine
        guard let moment = reachesFault() else { return try await store.write(work) }
        switch moment {
        case .pause(let pause):
            let value = try await pause.write(work, to: store) { self.opened.connections?.cut() }
            // A transaction that has changed nothing does not fail when the engine ends it.
            if pause.isWithin { state.withLock { $0.refusedWrites -= 1 } }
            return value
        case .fault(.crashAfterCommit):
            // The server also crashes with a commit that fails.
            _ = try? await store.write(work)
            throw try await died()
        case .fault(.cutBeforeCommit):
            return try await store.write { transaction in
                let value = try work(transaction)
                self.cutAll()
                return value
            }
        case .fault(.cutAfterCommit):
            let value = try await store.write(work)
            cutAll()
            return value
        case .fault(.lostCommit), .fault(.unknownCommit):
            opened.connections?.breakNextCommit(moment.isLast ? .afterLastCommit : .afterCommit)
            return try await store.write(work)
        case .fault:
            try await store.write { _ in }
            throw try await died()
        }
    }

    private func died() async throws -> Dead {
        try opened.keepRemains()
        state.withLock { $0.isDead = true }
        opened.connections?.cut()
        await onDeath()
        death.finish()
        return Dead()
    }

    func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        if isDead { throw Dead() }
        return try await watched { try await self.engine.read(as: share, work) }
    }

    /// Reports the loss of the engine, as the bridge's watch over its store does.
    private func watched<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch {
            if isCutOff { onLoss() }
            throw error
        }
    }

    func commits() -> CommitSubscription { engine.commits() }
    func commits(for scope: FeedScope) -> CommitSubscription { engine.commits(for: scope) }
    func close() async throws { try await engine.close() }

    private enum Moment {
        case fault(Fault.Kind)
        case pause(Pause)

        var isLast: Bool { if case .fault(.unknownCommit) = self { true } else { false } }
    }

    /// What happens at this commit, if it is the scheduled one.
    private func reachesFault() -> Moment? {
        state.withLock { state in
            guard let left = state.commitsLeft else { return nil }
            state.commitsLeft = left == 0 ? nil : left - 1
            guard left == 0 else { return nil }
            if let pause = state.pause { return .pause(pause) }
            state.isDying = state.fault?.isCrash ?? false
            return state.fault.map { .fault($0) }
        }
    }
}
