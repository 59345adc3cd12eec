import Coordination
import Storage

/// Which commits followers have been told of. Each commit has the next number, so a missed notification leaves a gap.
final class CommitLedger: Sendable {
    private struct State {
        /// Every commit up to this number was published.
        var last: Int64

        /// Published commits behind a gap.
        var ahead: Set<Int64> = []

        mutating func advance() {
            while ahead.remove(last + 1) != nil { last += 1 }
        }
    }

    /// Above it, the oldest gap counts as published at the next poll alone.
    private static let mostAhead = 10_000

    private let state: Lock<State>
    private let hub: CommitHub

    /// The highest number of a commit that a snapshot has shown.
    private let shown: Lock<Int64>

    /// The highest number of a commit that followers or readers have seen.
    var highest: Int64 { max(state.withLock { $0.ahead.max() ?? $0.last }, shown.withLock { $0 }) }

    /// - Parameters:
    ///   - last: The last commit before the first follower.
    ///   - hub: Where followers wait.
    init(after last: Int64, hub: CommitHub) {
        state = Lock(State(last: last))
        shown = Lock(last)
        self.hub = hub
    }

    /// Records that a snapshot has shown all commits up to a number.
    func show(_ number: Int64) {
        shown.withLock { $0 = max($0, number) }
    }

    /// Publishes a commit, unless it was published already.
    func publish(_ commit: Commit, number: Int64) {
        let isNew = state.withLock { state in
            guard number > state.last, state.ahead.count < Self.mostAhead, state.ahead.insert(number).inserted else { return false }
            state.advance()
            return true
        }
        if isNew { hub.post(commit) }
    }

    /// Publishes the commits that nothing was heard of, as one that may concern every follower.
    ///
    /// - Parameters:
    ///   - number: The number of the last commit in the store.
    ///   - sequence: The store's counter.
    ///   - collections: Reads the store's collections.
    func reach(_ number: Int64, _ sequence: SequenceNumber, collections: () throws -> [CollectionKey]) rethrows {
        guard state.withLock({ $0.last < number }) else { return }
        let all = Set(try collections())
        let isNew = state.withLock { state in
            guard state.last < number else { return false }
            state.last = number
            state.ahead = state.ahead.filter { $0 > number }
            state.advance()
            return true
        }
        if isNew { hub.post(Commit(sequence: sequence, touchesUnified: true, collections: all, access: .everyone)) }
    }
}
