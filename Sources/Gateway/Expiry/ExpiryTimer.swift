import Synchronization

/// Wakes whoever expires documents when one is written that expires earlier than those known.
///
/// It is a hint within the process: what other processes write is found at the next look.
public final class ExpiryTimer: Sendable {
    private struct State {
        /// The earliest time that was noted since the last wait.
        var noted: Int64?
        /// Until when somebody sleeps, and the sleep.
        var sleep: (until: Int64, task: Task<Void, Never>)?
    }

    private let state = Mutex(State())

    /// Notes that a document that has been written expires at a time, in milliseconds since 1970.
    func note(_ time: Int64) {
        state.withLock { state in
            state.noted = min(state.noted ?? time, time)
            if let sleep = state.sleep, time < sleep.until { sleep.task.cancel() }
        }
    }

    /// Sleeps until a time, or until a document is noted that expires earlier. One at a time may wait. Ends at once if its task is cancelled.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970.
    ///   - sleep: sleeps until that time, or until it is cancelled.
    public func wait(until time: Int64, _ sleep: @escaping @Sendable (Int64) async -> Void) async {
        let task = Task { await sleep(time) }
        state.withLock { state in
            state.sleep = (time, task)
            if let noted = state.noted, noted < time { task.cancel() }
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0 = State() }
    }
}
