import Synchronization

/// Callers' work in the order in which they asked. Every caller waits for its own, so the queue is as long as there are callers.
final class WriteQueue: Sendable {
    private struct State {
        var jobs: [WriteJob] = []
        /// Where the jobs begin that nobody has taken.
        var head = 0
        var nextID: UInt64 = 0
        var isWorking = false
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// What became of a job that was to be added.
    enum Outcome {
        case queued
        /// Queued, and nobody is working: whoever added it must start the worker.
        case first
        case closed
        case cancelled
    }

    private let state = Mutex(State())

    func nextID() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    func add(_ job: WriteJob) -> Outcome {
        state.withLock { state in
            if state.isClosed { return .closed }
            // A cancellation from here on finds the job, because it needs the lock.
            if Task.isCancelled { return .cancelled }
            state.jobs.append(job)
            if state.isWorking { return .queued }
            state.isWorking = true
            return .first
        }
    }

    /// Takes the next job, if there is one.
    func take() -> WriteJob? {
        state.withLock { state in
            guard state.head < state.jobs.count else { return nil }
            let job = state.jobs[state.head]
            state.head += 1
            if state.head == state.jobs.count {
                state.jobs.removeAll(keepingCapacity: state.head <= 1024)
                state.head = 0
            }
            return job
        }
    }

    /// Takes a job back that nobody has taken.
    func cancel(_ id: UInt64) -> WriteJob? {
        state.withLock { state in
            guard let index = state.jobs[state.head...].firstIndex(where: { $0.id == id }) else { return nil }
            return state.jobs.remove(at: index)
        }
    }

    /// Whether the worker has nothing more to do; it must stop then.
    func rest() -> Bool {
        let closers: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            guard state.head == state.jobs.count else { return nil }
            state.isWorking = false
            defer { state.closers = [] }
            return state.closers
        }
        closers?.forEach { $0.resume() }
        return closers != nil
    }

    /// Takes in no more jobs, and waits until those that are here are done.
    func close() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                state.isClosed = true
                if state.isWorking { state.closers.append(continuation) }
                return !state.isWorking
            }
            if isDone { continuation.resume() }
        }
    }
}
