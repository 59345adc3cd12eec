import Synchronization

/// Where followers of feeds wait for commits.
///
/// It remembers for each scope the number of the last commit that touched it. A follower knows the number that it has seen, so
/// commits that it missed merge by themselves, a follower that is busy costs nothing, and a commit wakes only those that wait for
/// what it touched and may see it.
final class CommitHub: Sendable {
    private struct Waiter {
        let continuation: CheckedContinuation<Bool, Never>
        let interest: FeedInterest?
    }

    private struct State {
        /// Counts commits.
        var number: UInt64 = 0
        var sequence = Sequence.zero
        var lastTouch: [FeedScope: UInt64] = [:]
        var lastAccessTouch: UInt64 = 0

        /// Those who wait: for one scope, or under `nil` for any.
        var waiting: [FeedScope?: [UInt64: Waiter]] = [:]
        var nextWaiter: UInt64 = 0
        var isClosed = false

        /// The number of the last commit that concerns the followers of a scope, or under `nil` of everything.
        func lastTouch(of scope: FeedScope?) -> UInt64 {
            guard let scope else { return number }
            return max(lastTouch[scope] ?? 0, lastAccessTouch)
        }

        /// Takes out those who wait for a scope and are concerned by a commit; by `nil` all of them.
        mutating func take(_ scope: FeedScope?, concernedBy commit: Commit?) -> [Waiter] {
            guard let waiters = waiting[scope] else { return [] }
            let woken =
                commit.map { commit in
                    waiters.filter { $0.value.interest?.isConcerned(by: commit, lastAccessTouch: lastAccessTouch) ?? true }
                } ?? waiters
            if woken.count == waiters.count { waiting[scope] = nil } else { for id in woken.keys { waiting[scope]?[id] = nil } }
            return Array(woken.values)
        }

        mutating func takeAll() -> [Waiter] {
            Array(waiting.keys).flatMap { take($0, concernedBy: nil) }
        }
    }

    private let state = Mutex(State())

    /// The number of the newest commit.
    var number: UInt64 { state.withLock { $0.number } }

    /// How many followers are waiting.
    var waiterCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Tells followers of a commit.
    func post(_ commit: Commit) {
        let scopes = commit.collections.map { FeedScope.collection($0) } + (commit.touchesUnified ? [.unified] : [])
        let woken = state.withLock { state in
            state.number += 1
            state.sequence = max(state.sequence, commit.sequence)
            for scope in scopes { state.lastTouch[scope] = state.number }
            guard !commit.touchesAccess else {
                state.lastAccessTouch = state.number
                return state.takeAll()
            }
            return ([nil] + scopes).flatMap { state.take($0, concernedBy: commit) }
        }
        for waiter in woken { waiter.continuation.resume(returning: true) }
    }

    /// Ends all waiting.
    func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.takeAll()
        }
        for waiter in woken { waiter.continuation.resume(returning: false) }
    }

    /// What was committed after the commit `seen`, merged; and the number of the newest commit. Nil if there is nothing that
    /// touches `scope`.
    func news(since seen: UInt64, scope: FeedScope?) -> (commit: Commit, number: UInt64)? {
        state.withLock { state in
            let last = state.lastTouch(of: scope)
            guard last > seen else { return nil }
            var collections: Set<CollectionKey> = []
            for case (.collection(let key), let touch) in state.lastTouch where touch > seen { collections.insert(key) }
            let touchesUnified = (state.lastTouch[.unified] ?? 0) > seen
            let commit = Commit(
                sequence: state.sequence, touchesUnified: touchesUnified, collections: collections,
                touchesAccess: state.lastAccessTouch > seen)
            return (commit, state.number)
        }
    }

    /// Waits until there is a commit after `seen` that touches `scope`.
    ///
    /// - Parameter interest: What of it concerns the follower. It is asked for commits that come while he waits: those that came before wake him
    ///   whatever they changed.
    /// - Returns: Whether there is one; false if the store was closed or the task cancelled.
    func wait(since seen: UInt64, scope: FeedScope?, interest: FeedInterest? = nil) async -> Bool {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    let last = state.lastTouch(of: scope)
                    if last > seen { return true }
                    // A cancellation from here on finds the waiter, because it needs the lock.
                    if state.isClosed || Task.isCancelled { return false }
                    state.waiting[scope, default: [:]][id] = Waiter(continuation: continuation, interest: interest)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiting[scope]?.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: false)
        }
    }
}
