import Dispatch
import Foundation

/// Runs JavaScript functions on threads of its own, bounded in time and memory, on JavaScriptCore.
///
/// A call travels to a worker and back once; so does a whole batch, so that many calls of one function belong in one. Callers of one
/// database wait for their turn in the order in which they came; databases take turns. A function that loops, throws or takes too much fails its own call only.
///
/// An engine costs nothing until it is called: a worker, which is a thread and a JavaScript virtual machine, is made when a call
/// finds all others at work, and given up when it has had nothing to do for ``ScriptLimits/idleTime``.
///
/// JavaScriptCore uses the signal SIGUSR1 for its collector: leave it alone.
public final class ScriptEngine: Sendable {
    /// Workers that an engine may have if nothing else is said: one a processor, four at most.
    public static let defaultWorkers = min(4, max(1, ProcessInfo.processInfo.activeProcessorCount))

    /// Seconds that a database waits while others have all workers, before it gets one of its own. Most calls take far less than that.
    private static let patience = 0.1

    private let queue: ScriptQueue
    private let counters = ScriptCounters()
    private let limits: ScriptLimits

    /// An engine that has no worker yet.
    /// - Parameters:
    ///   - workers: threads, and as many JavaScript virtual machines, that it may have at once; at least one. While functions of one database have all of
    ///     them, each other database gets one of its own.
    ///   - limits: what each call may use.
    public init(workers: Int = ScriptEngine.defaultWorkers, limits: ScriptLimits = ScriptLimits()) {
        queue = ScriptQueue(workers: max(1, workers), limits: limits)
        self.limits = limits
    }

    deinit {
        queue.close()
    }

    /// Counts since the engine was made, and what it is at now.
    public var statistics: ScriptStatistics {
        var statistics = counters.current
        (statistics.waiting, statistics.running, statistics.workers) = queue.load
        return statistics
    }

    /// Calls a function with each input, on one worker and one after the other.
    /// - Returns: for each input its answer, or why there is none.
    /// - Throws: ``ScriptError`` (`stopped`, `busy`), or `CancellationError` if the task was cancelled while it waited for a worker.
    public func call<Input, Output>(
        _ function: ScriptFunction<Input, Output>, each inputs: [Input]
    ) async throws -> [Result<Output, ScriptError>] {
        if inputs.isEmpty { return [] }
        return try await run(owner: function.owner) { $0.evaluate(function, inputs) }
    }

    /// Calls a function once.
    /// - Throws: ``ScriptError``, or `CancellationError` if the task was cancelled while it waited for a worker.
    public func call<Input, Output>(_ function: ScriptFunction<Input, Output>, _ input: Input) async throws -> Output {
        let results = try await call(function, each: [input])
        return try results[0].get()
    }

    /// Checks that a function can be loaded, and makes it ready on one worker.
    /// - Throws: ``ScriptError``: `compile` with message, line and column, or `timeout` or `memory` if the source does not come to an end.
    public func compile<Input, Output>(_ function: ScriptFunction<Input, Output>) async throws {
        try await run(owner: function.owner) { $0.compile(function.key) }.get()
    }

    /// Ends the engine: a call that is being made is ended unless it is over within some milliseconds; it, what waits and what comes
    /// later fails with ``ScriptError/Code/stopped``. Returns when every thread has let go of its JavaScript. May be called more than once.
    public func stop() async {
        queue.close()
        await queue.end()
    }

    private func run<Answer: Sendable>(
        owner: String, _ work: @escaping @Sendable (ScriptWorker) -> Answer
    ) async throws -> Answer {
        let id = queue.reserve()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Answer, any Error>) in
                let job = ScriptJob(
                    id: id,
                    run: { worker in
                        let answer = work(worker)
                        return { continuation.resume(returning: answer) }
                    },
                    refuse: { continuation.resume(throwing: $0) })
                switch queue.add(job, owner: owner) {
                case .nothing: break
                case .worker: ScriptWorker.start(queue: queue, counters: counters, limits: limits)
                case .patience(let share):
                    DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [queue, counters, limits] in
                        if queue.needsMore(for: share) { ScriptWorker.start(queue: queue, counters: counters, limits: limits) }
                    }
                }
            }
        } onCancel: {
            queue.cancel(id)
        }
    }
}
