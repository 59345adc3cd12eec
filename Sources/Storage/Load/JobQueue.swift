import NIOConcurrencyHelpers
import Synchronization

/// Callers' work, and the workers that do it: in the order in which they asked, or by turns where they have told whose work it is (``ReadPriority``).
///
/// Every caller waits for its own job, so the queue is as long as there are callers. A worker that has been started takes one job
/// after another until there are none.
package final class JobQueue<Context>: Sendable {
    private struct State {
        /// Those that nobody has taken. A job that is taken is let go of, with the documents that it writes.
        var jobs = LaneQueue<Context>()
        var idle: [Int]
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// What became of a job that was to be added.
    private enum Outcome {
        case queued(idleWorker: Int?)
        case closed
        case cancelled
    }

    private let workerCount: Int
    private let closedError: StorageError
    private let lastID = Atomic<UInt64>(0)

    /// Each row of thousands of feeds goes through it. `Mutex` hands itself over to the thread that has waited for longest (a futex with priority
    /// inheritance), so that each of many threads sleeps before it goes on; this lock goes to whoever runs.
    private let state: NIOLockedValueBox<State>

    package init(workers: Int, path: String) {
        workerCount = workers
        closedError = StorageError(.closed, "\(path): the store was closed.")
        state = NIOLockedValueBox(State(idle: Array((0..<workers).reversed())))
    }

    /// How many jobs wait for a worker.
    package var count: Int { state.withLockedValue { $0.jobs.count } }

    /// Waits until a worker has done the work.
    ///
    /// If the task is cancelled before a worker takes the job, it is not done; afterwards it is done to its end.
    ///
    /// - Parameters:
    ///   - start: Starts an idle worker, which must take jobs until it may ``rest(_:)``.
    ///   - share: Whose turn it takes.
    ///   - work: The work.
    package func perform<Value: Sendable>(
        start: (Int) -> Void, as share: ReadPriority = ReadPriority(), _ work: @escaping @Sendable (Context) throws -> Value
    ) async throws -> Value {
        let id = lastID.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job<Context>(id: id) { context in
                    let value = try work(context)
                    return { continuation.resume(returning: value) }
                } fail: { error in
                    continuation.resume(throwing: error)
                }
                switch add(job, share) {
                case .queued(let idleWorker): idleWorker.map(start)
                case .closed: job.fail(closedError)
                case .cancelled: job.fail(CancellationError())
                }
            }
        } onCancel: {
            cancel(id, share)?.fail(CancellationError())
        }
    }

    /// Takes the next job, if there is one.
    package func take() -> Job<Context>? {
        state.withLockedValue { $0.jobs.popFirst() }
    }

    /// Whether a worker has nothing more to do; it must stop then.
    package func rest(_ worker: Int) -> Bool {
        let closers: [CheckedContinuation<Void, Never>]? = state.withLockedValue { state in
            guard state.jobs.isEmpty else { return nil }
            state.idle.append(worker)
            guard state.idle.count == workerCount else { return [] }
            defer { state.closers = [] }
            return state.closers
        }
        closers?.forEach { $0.resume() }
        return closers != nil
    }

    /// Takes in no more jobs, and waits until those that are here are done.
    package func close() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLockedValue { state in
                state.isClosed = true
                if state.idle.count < workerCount { state.closers.append(continuation) }
                return state.idle.count == workerCount
            }
            if isDone { continuation.resume() }
        }
    }

    private func add(_ job: Job<Context>, _ share: ReadPriority) -> Outcome {
        state.withLockedValue { state in
            if state.isClosed { return .closed }
            // A cancellation from here on finds the job, because it needs the lock.
            if Task.isCancelled { return .cancelled }
            state.jobs.append(job, share)
            return .queued(idleWorker: state.idle.popLast())
        }
    }

    /// Takes a job back that nobody has taken.
    private func cancel(_ id: UInt64, _ share: ReadPriority) -> Job<Context>? {
        state.withLockedValue { $0.jobs.remove(id, share) }
    }
}

/// One caller's work that waits for its turn.
package struct Job<Context>: Identifiable, Sendable {
    package let id: UInt64

    /// Does the work, and answers how to give its result to the caller.
    package let run: @Sendable (Context) throws -> @Sendable () -> Void

    /// Gives the caller an error.
    package let fail: @Sendable (any Error) -> Void
}
