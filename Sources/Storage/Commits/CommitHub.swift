import Synchronization

/// Where followers of feeds wait for commits.
///
/// It remembers for each scope the number of the last commit that touched it. A follower knows the number that it has seen, so
/// commits that it missed merge by themselves, a follower that is busy costs nothing, and a commit wakes only those that wait for
/// what it touched and may see it.
package final class CommitHub: Sendable {
    /// Told that there is a commit to read, or by false that the store was closed.
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

        /// Those who wait: for one scope, or under `nil` for any.
        var waiting: [FeedScope?: [UInt64: Waiter]] = [:]
        var nextTicket: UInt64 = 0
        var isClosed = false

        /// The number of the last commit that concerns the followers of a scope, or under `nil` of everything, by the access of some.
        func lastTouch(of scope: FeedScope?, by grantees: Set<Grantee>?) -> UInt64 {
            guard let scope else { return number }
            return max(lastTouch[scope] ?? 0, access.last(of: grantees))
        }

        /// Takes out those who wait for a scope and are concerned by a commit; by `nil` all of them.
        mutating func take(_ scope: FeedScope?, concernedBy commit: Commit?) -> [Waiter] {
            guard let waiters = waiting[scope] else { return [] }
            let woken =
                commit.map { commit in
                    let touchesScope = scope.map(commit.touches) ?? true
                    return waiters.filter { $0.value.interest?.isConcerned(by: commit, touchesScope: touchesScope, access) ?? true }
                } ?? waiters
            if woken.count == waiters.count { waiting[scope] = nil } else { for id in woken.keys { waiting[scope]?[id] = nil } }
            return Array(woken.values)
        }

        mutating func takeAll() -> [Waiter] {
            Array(waiting.keys).flatMap { take($0, concernedBy: nil) }
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of the newest commit.
    package var number: UInt64 { state.withLock { $0.number } }

    /// How many followers are waiting.
    package var waiterCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Tells followers of a commit.
    package func post(_ commit: Commit) {
        let scopes = commit.collections.map { FeedScope.collection($0) } + (commit.touchesUnified ? [.unified] : [])
        let woken = state.withLock { state in
            state.number += 1
            state.sequence = max(state.sequence, commit.sequence)
            for scope in scopes { state.lastTouch[scope] = state.number }
            state.access.record(commit.access, at: state.number)
            let followed = commit.touchesAccess ? Array(state.waiting.keys) : [nil] + scopes
            return followed.flatMap { state.take($0, concernedBy: commit) }
        }
        for waiter in woken { waiter.wake(true) }
    }

    /// Ends all waiting.
    package func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.takeAll()
        }
        for waiter in woken { waiter.wake(false) }
    }

    /// What was committed after the commit `seen`, merged; and the number of the newest commit. Nil if there is nothing that
    /// touches `scope`, or the access of some.
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

    /// A number for ``call(_:ticket:since:scope:interest:)``, to be used once.
    func ticket() -> UInt64 {
        state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
    }

    /// Calls `wake` once, when there is a commit after `seen` that touches `scope`: at once if there is one, else when it comes.
    ///
    /// - Parameters:
    ///   - wake: Must be quick, as who commits calls it.
    ///   - ticket: What the call can be taken back by.
    ///   - interest: What of it concerns the follower. It is asked for commits that come while he waits: those that came before wake him
    ///     whatever they changed.
    func call(_ wake: @escaping Wake, ticket: UInt64, since seen: UInt64, scope: FeedScope?, interest: FeedInterest? = nil) {
        let answer: Bool? = state.withLock { state in
            if state.lastTouch(of: scope, by: interest?.grantees) > seen { return true }
            if state.isClosed { return false }
            state.waiting[scope, default: [:]][ticket] = Waiter(wake: wake, interest: interest)
            return nil
        }
        if let answer { wake(answer) }
    }

    /// Takes a call back.
    ///
    /// - Returns: what was to be called; nil if it has been, or was never to be.
    @discardableResult
    func takeBack(_ ticket: UInt64, scope: FeedScope?) -> Wake? {
        state.withLock { $0.waiting[scope]?.removeValue(forKey: ticket)?.wake }
    }
}
