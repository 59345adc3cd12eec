import NIOConcurrencyHelpers
import Synchronization
package import Tracing

/// A queue of callers' jobs, and the workers that run them. Jobs run in order of arrival; with a ``ReadPriority``, clients take turns.
///
/// Every caller waits for its own job, so the queue is as long as the number of callers. A started worker runs jobs until the queue is empty.
package final class JobQueue<Context>: Sendable {
    private struct State {
        /// The pending jobs. A job leaves the queue when a worker takes it, so that the documents it writes can be freed.
        var jobs = LaneQueue<Context>()
        var idle: [Int]
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// The result of adding a job.
    private enum Outcome {
        case queued(idleWorker: Int?)
        case closed
        case cancelled
    }

    private let workerCount: Int
    private let closedError: StorageError
    private let lastID = Atomic<UInt64>(0)

    /// A heavily contended lock: each row of thousands of feeds passes it. `Mutex` hands itself over to the longest waiting thread (a futex with
    /// priority inheritance), so that each of many threads sleeps before it continues. This lock goes to any running thread.
    private let state: NIOLockedValueBox<State>

    package init(workers: Int, path: String) {
        workerCount = workers
        closedError = StorageError(.closed, "\(path): the store was closed.")
        state = NIOLockedValueBox(State(idle: Array((0..<workers).reversed())))
    }

    /// The number of pending jobs.
    package var count: Int { state.withLockedValue { $0.jobs.count } }

    /// Runs `work` on a worker and returns its result.
    ///
    /// A job whose task is cancelled before a worker takes it does not run. A job that a worker has taken runs to its end.
    ///
    /// - Parameters:
    ///   - start: Starts an idle worker, which must take jobs until ``rest(_:)`` returns `true`.
    ///   - share: The client and lane of the job.
    ///   - trace: The context of the caller's span, for a worker that makes spans.
    ///   - work: The work.
    package func perform<Value: Sendable>(
        start: (Int) -> Void, as share: ReadPriority = ReadPriority(), trace: ServiceContext? = nil,
        _ work: @escaping @Sendable (Context) throws -> Value
    ) async throws -> Value {
        let id = lastID.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job<Context>(id: id, trace: trace) { context in
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

    /// Removes and returns the next job; `nil` if there is none.
    package func take() -> Job<Context>? {
        state.withLockedValue { $0.jobs.popFirst() }
    }

    /// Marks a worker as idle if there are no more jobs.
    ///
    /// - Returns: Whether the worker is idle and must stop.
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

    /// Rejects further jobs, and waits until the present ones are done.
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
            // A cancellation after this check finds the job, because it needs the lock.
            if Task.isCancelled { return .cancelled }
            state.jobs.append(job, share)
            return .queued(idleWorker: state.idle.popLast())
        }
    }

    /// Removes a job that no worker has taken; `nil` if one has.
    private func cancel(_ id: UInt64, _ share: ReadPriority) -> Job<Context>? {
        state.withLockedValue { $0.jobs.remove(id, share) }
    }
}

/// A caller's pending work.
package struct Job<Context>: Identifiable, Sendable {
    package let id: UInt64

    /// The context of the caller's span; `nil` for a caller that is not traced.
    package private(set) var trace: ServiceContext?

    /// Does the work, and returns a closure that passes the result to the caller.
    package let run: @Sendable (Context) throws -> @Sendable () -> Void

    /// Passes an error to the caller.
    package let fail: @Sendable (any Error) -> Void
}
