import Coordination
import Dispatch

/// Polls for other processes' commits, for as long as a follower waits.
///
/// SQLite does not notify other processes of a commit. One timer serves all followers of a store. There is no timer while no follower waits: a
/// follower reads the feed before it waits, so it has missed nothing until then.
package final class CommitPoll: Sendable {
    private struct State {
        var waiterCount = 0
        var isRunning = false
    }

    private let interval: DispatchTimeInterval
    private let poll: @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - interval: The pause between two polls.
    ///   - poll: Polls, and calls `done` at its end. The next pause begins then, so polls never overlap.
    package init(interval: Duration, poll: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void) {
        let (seconds, attoseconds) = interval.components
        self.interval = .microseconds(Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000))
        self.poll = poll
    }

    /// Whether the timer runs.
    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Ends the polling for one waiting follower. Each ``begin()`` needs one call.
    func end() {
        state.withLock { $0.waiterCount -= 1 }
    }

    /// Polls until ``end()`` has been called as often as this method.
    func begin() {
        let starts = state.withLock { state in
            state.waiterCount += 1
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { scheduleNext() }
    }

    private func scheduleNext() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + interval) { [weak self] in self?.fire() }
    }

    private func fire() {
        let goesOn = state.withLock { state in
            state.isRunning = state.waiterCount > 0
            return state.isRunning
        }
        if goesOn { poll { [weak self] in self?.scheduleNext() } }
    }
}
