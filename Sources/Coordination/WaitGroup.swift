/// A count of running activities, with a wait for the end of all of them.
///
/// The wait does not end when the waiting task is cancelled: what follows it, such as closing a file, has to come after the last activity.
package final class WaitGroup: Sendable {
    private typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var count = 0
        var waiters: [Waiter] = []
    }

    private let state = Lock(State())

    package init() {}

    /// The number of running activities.
    package var count: Int { state.withLock { $0.count } }

    /// Begins an activity, which ``leave()`` has to end.
    package func enter() {
        state.withLock { $0.count += 1 }
    }

    /// Ends an activity. With the last one, all waiting tasks resume.
    package func leave() {
        let waiters = state.withLock { state -> [Waiter] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no activity is running: immediately, or with the next last ``leave()``.
    package func wait() async {
        await withCheckedContinuation { (waiter: Waiter) in
            let isIdle = state.withLock { state in
                if state.count > 0 { state.waiters.append(waiter) }
                return state.count == 0
            }
            if isIdle { waiter.resume() }
        }
    }
}
