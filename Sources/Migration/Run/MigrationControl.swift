import Synchronization

/// Pauses, resumes and stops a run on signals or admin requests. A run checks it between batches.
package final class MigrationControl: Sendable {
    private struct State {
        var isPaused = false
        var isStopped = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var isPaused: Bool { state.withLock { $0.isPaused && !$0.isStopped } }
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Pauses the run after its current batch.
    package func pause() {
        state.withLock { $0.isPaused = true }
    }

    package func resume() {
        release { $0.isPaused = false }
    }

    /// Ends the run after its current batch; a later run can resume it.
    package func stop() {
        release { $0.isStopped = true }
    }

    /// Waits while the run is paused.
    ///
    /// - Throws: `CancellationError` if the run is stopped or the task is cancelled.
    func proceed() async throws {
        while true {
            try Task.checkCancellation()
            let (isPaused, isStopped) = state.withLock { ($0.isPaused, $0.isStopped) }
            if isStopped { throw CancellationError() }
            guard isPaused else { return }
            await wait()
        }
    }

    private func wait() async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isNeedless = state.withLock { state in
                    guard state.isPaused, !state.isStopped, !Task.isCancelled else { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isNeedless { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }

    private func release(_ change: @Sendable (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}
