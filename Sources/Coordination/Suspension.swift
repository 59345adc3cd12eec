import Dispatch

/// Suspends the task for a time.
///
/// A task that is cancelled during `Task.sleep` resumes at once, but the runtime keeps the job of the sleep, some 700 bytes, until the time is over.
/// Limits of ten minutes, one for each request, would fill the memory. This function keeps nothing after the cancellation.
///
/// - Throws: `CancellationError` if the task is cancelled before or meanwhile.
package func suspend(for time: Duration) async throws {
    try Task.checkCancellation()
    let suspension = Suspension()
    await withTaskCancellationHandler {
        await withCheckedContinuation { suspension.begin(time, $0) }
    } onCancel: {
        suspension.end()
    }
    try Task.checkCancellation()
}

private final class Suspension: Sendable {
    private struct State {
        var timer: (any DispatchSourceTimer)?
        var waiter: CheckedContinuation<Void, Never>?
        var isOver = false
    }

    /// The longest time of a timer; a longer one is as good as infinite.
    private static let longest = Duration.seconds(1 << 30)

    private let state = Lock(State())

    func begin(_ time: Duration, _ waiter: CheckedContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            let timer = DispatchSource.makeTimerSource()
            // The timer and this object hold each other until the end.
            timer.setEventHandler { self.end() }
            let time = max(.zero, min(time, Self.longest))
            timer.schedule(deadline: .now() + .nanoseconds(Int(time / .nanoseconds(1))), leeway: .milliseconds(1))
            timer.activate()
            (state.timer, state.waiter) = (timer, waiter)
            return false
        }
        if isOver { waiter.resume() }
    }

    func end() {
        let waiter = state.withLock { state in
            state.isOver = true
            state.timer?.cancel()
            state.timer = nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
