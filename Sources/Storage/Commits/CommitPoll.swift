import Dispatch
import Synchronization

/// Looks for other processes' commits now and then, for as long as somebody waits for one.
///
/// SQLite tells nobody of a commit; whoever wants to know has to ask. One timer serves all followers of a store, and there is none
/// while nobody waits: a follower has read the feed before it waits, so it has missed nothing until then.
package final class CommitPoll: Sendable {
    private struct State {
        var waiterCount = 0
        var isRunning = false
    }

    private let interval: DispatchTimeInterval
    private let look: @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - interval: How long it rests between two looks.
    ///   - look: Looks, and calls `done` when it has. The next rest begins then, so looks never pile up.
    package init(interval: Duration, look: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void) {
        let (seconds, attoseconds) = interval.components
        self.interval = .microseconds(Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000))
        self.look = look
    }

    /// Whether there is a timer.
    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Ends what ``begin()`` began, for one who waits.
    func end() {
        state.withLock { $0.waiterCount -= 1 }
    }

    /// Looks for commits until as many ``end()`` as have begun.
    func begin() {
        let starts = state.withLock { state in
            state.waiterCount += 1
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { rest() }
    }

    private func rest() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + interval) { [weak self] in self?.wake() }
    }

    private func wake() {
        let goesOn = state.withLock { state in
            state.isRunning = state.waiterCount > 0
            return state.isRunning
        }
        if goesOn { look { [weak self] in self?.rest() } }
    }
}
