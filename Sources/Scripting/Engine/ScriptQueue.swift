import Foundation
import Synchronization

/// Work for the threads of an engine, in the order in which it came.
final class ScriptQueue: Sendable {
    typealias Job = @Sendable (inout ScriptWorker) -> Void

    private struct State {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let available = DispatchSemaphore(value: 0)

    /// - Returns: false if the queue is closed.
    func add(_ job: @escaping Job) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            return true
        }
        if isTaken { available.signal() }
        return isTaken
    }

    /// Waits for work, on a worker's thread; `nil` when the queue is closed and empty.
    func next() -> Job? {
        while true {
            available.wait()
            let (job, isClosed) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isClosed)
            }
            if let job { return job }
            if isClosed {
                // The other workers are to see it, too.
                available.signal()
                return nil
            }
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        available.signal()
    }
}
