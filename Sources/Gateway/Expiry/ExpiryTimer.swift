import Coordination

/// Wakes the expiry task when a written document expires before all documents known so far.
///
/// The signal works within the process only. The next scheduled run finds the writes of other processes.
package final class ExpiryTimer: Sendable {
    private struct State {
        /// The earliest time that was recorded since the last wait.
        var earliest: Int64?
        /// The end of the current sleep, and its task.
        var sleep: (until: Int64, task: Task<Void, Never>)?
    }

    private let state = Lock(State())

    /// Records the expiry time of a written document, in milliseconds since 1970.
    func record(_ time: Int64) {
        state.withLock { state in
            state.earliest = min(state.earliest ?? time, time)
            if let sleep = state.sleep, time < sleep.until { sleep.task.cancel() }
        }
    }

    /// Sleeps until a time, or until an earlier expiry time is recorded. Supports one waiter. Ends at once if its task is cancelled.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970.
    ///   - sleep: sleeps until that time, or until it is cancelled.
    package func wait(until time: Int64, _ sleep: @escaping @Sendable (Int64) async -> Void) async {
        let task = Task { await sleep(time) }
        state.withLock { state in
            state.sleep = (time, task)
            if let earliest = state.earliest, earliest < time { task.cancel() }
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0 = State() }
    }
}
