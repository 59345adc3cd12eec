import Coordination
package import CoreMetrics

/// Wakes the followers of feeds when a commit concerns them.
///
/// For each scope it stores the number of the last commit that touched the scope. Each follower stores the number of the last commit that it has
/// seen. As a result:
/// - Missed commits merge, and a busy follower costs nothing.
/// - A commit wakes only followers that wait for a scope it touched and may see the change.
package final class CommitHub: Sendable {
    /// Called with `true` when there is a commit to read, and with `false` when the store was closed.
    typealias Wake = @Sendable (Bool) -> Void

    private struct Waiter {
        let wake: Wake
        let interest: FeedInterest?
    }

    private struct State {
        /// Counts commits.
        var number: UInt64 = 0
        var sequence = SequenceNumber.zero
        var lastTouch: [FeedScope: UInt64] = [:]
        var access = AccessChangeLog()

        /// The waiting followers by scope. Followers of all scopes are under `nil`.
        var waiting: [FeedScope?: [UInt64: Waiter]] = [:]
        var nextTicket: UInt64 = 0
        var isClosed = false

        /// The number of the last commit that concerns the followers of a scope with the access of these grantees. For the scope `nil`, of any
        /// commit.
        func lastTouch(of scope: FeedScope?, by grantees: Set<Grantee>?) -> UInt64 {
            guard let scope else { return number }
            return max(lastTouch[scope] ?? 0, access.last(of: grantees))
        }

        /// Removes and returns the followers of a scope that a commit concerns. For `nil`, all followers of the scope.
        mutating func remove(_ scope: FeedScope?, concernedBy commit: Commit?) -> [Waiter] {
            guard let waiters = waiting[scope] else { return [] }
            let woken =
                commit.map { commit in
                    let touchesScope = scope.map(commit.touches) ?? true
                    return waiters.filter { $0.value.interest?.isConcerned(by: commit, touchesScope: touchesScope, access) ?? true }
                } ?? waiters
            if woken.count == waiters.count { waiting[scope] = nil } else { for id in woken.keys { waiting[scope]?[id] = nil } }
            return Array(woken.values)
        }

        mutating func removeAll() -> [Waiter] {
            Array(waiting.keys).flatMap { remove($0, concernedBy: nil) }
        }
    }

    private let state = Lock(State())

    /// Counts commits, for metrics.
    private let commits: Counter?

    package init(commits: Counter? = nil) {
        self.commits = commits
    }

    /// The number of the latest commit.
    package var number: UInt64 { state.withLock { $0.number } }

    /// The number of waiting followers.
    package var waiterCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Publishes a commit to its followers.
    package func post(_ commit: Commit) {
        let scopes = commit.collections.map { FeedScope.collection($0) } + (commit.touchesUnified ? [.unified] : [])
        let woken = state.withLock { state in
            state.number += 1
            state.sequence = max(state.sequence, commit.sequence)
            for scope in scopes { state.lastTouch[scope] = state.number }
            state.access.record(commit.access, at: state.number)
            let followed = commit.touchesAccess ? Array(state.waiting.keys) : [nil] + scopes
            return followed.flatMap { state.remove($0, concernedBy: commit) }
        }
        commits?.increment()
        for waiter in woken { waiter.wake(true) }
    }

    /// Ends all waits; followers get `false`.
    package func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.removeAll()
        }
        for waiter in woken { waiter.wake(false) }
    }

    /// The merged commits after the commit `seen`, and the number of the latest commit. `nil` if none touched `scope` or the access of `grantees`.
    func news(since seen: UInt64, scope: FeedScope?, by grantees: Set<Grantee>? = nil) -> (commit: Commit, number: UInt64)? {
        state.withLock { state in
            let last = state.lastTouch(of: scope, by: grantees)
            guard last > seen else { return nil }
            var collections: Set<CollectionKey> = []
            for case (.collection(let key), let touch) in state.lastTouch where touch > seen { collections.insert(key) }
            let touchesUnified = (state.lastTouch[.unified] ?? 0) > seen
            let commit = Commit(
                sequence: state.sequence, touchesUnified: touchesUnified, collections: collections,
                access: state.access.change(since: seen))
            return (commit, state.number)
        }
    }

    /// A unique number for one ``call(_:ticket:since:scope:interest:)``.
    func ticket() -> UInt64 {
        state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
    }

    /// Calls `wake` once: immediately if a commit after `seen` touches `scope`, otherwise when such a commit comes.
    ///
    /// - Parameters:
    ///   - wake: Must be fast, because the committing thread calls it.
    ///   - ticket: Identifies the call for its cancellation.
    ///   - interest: Filters the commits that come during the wait. Earlier commits call `wake` whatever they changed.
    func call(_ wake: @escaping Wake, ticket: UInt64, since seen: UInt64, scope: FeedScope?, interest: FeedInterest? = nil) {
        let answer: Bool? = state.withLock { state in
            if state.lastTouch(of: scope, by: interest?.grantees) > seen { return true }
            if state.isClosed { return false }
            state.waiting[scope, default: [:]][ticket] = Waiter(wake: wake, interest: interest)
            return nil
        }
        if let answer { wake(answer) }
    }

    /// Cancels a call.
    ///
    /// - Returns: The pending callback; `nil` if it was called already or never registered.
    @discardableResult
    func cancel(_ ticket: UInt64, scope: FeedScope?) -> Wake? {
        state.withLock { $0.waiting[scope]?.removeValue(forKey: ticket)?.wake }
    }
}
