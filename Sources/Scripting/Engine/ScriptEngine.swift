import Dispatch
import Foundation
import Synchronization

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
                        if queue.claimsExtraWorker(for: share) { ScriptWorker.start(queue: queue, counters: counters, limits: limits) }
                    }
                }
            }
        } onCancel: {
            queue.cancel(id)
        }
    }
}

/// What a script may use, and how much may wait for it.
public struct ScriptLimits: Hashable, Sendable {
    /// Processor time of one call, so that a busy machine fails no call. It is looked at every tenth of it, or every 10 ms if that is
    /// less; a native step that is under way (a regular expression, a sort) ends first.
    public var timeLimit: Duration = .seconds(1)
    /// Processor time of one batch. When it is used up, the rest of the batch fails.
    public var batchTimeLimit: Duration = .seconds(10)
    /// Time of one call by the clock on the wall, for a call that gets no processor to speak of.
    public var wallTimeLimit: Duration = .seconds(60)
    /// Time after which a worker that has nothing to do is given up, with its thread and its memory.
    public var idleTime: Duration = .seconds(10)
    /// Bytes that the process may grow by during one call, and that a worker's JavaScript heap may have between calls.
    ///
    /// It is looked at as often as the time, so a script can overshoot it by what it allocates in that time or in one native step.
    /// Only the process can be measured while a function runs, so what else grows then counts as well: leave room.
    public var memoryLimit = 256 << 20
    /// Bytes of each argument.
    public var argumentLimit = 32 << 20
    /// Characters of a result.
    public var resultLimit = 32 << 20
    /// Characters of a text that the function makes in one step (`repeat`, `padStart`, `padEnd`, the separators of `join`).
    public var stringLimit = 16 << 20
    /// Functions that a worker keeps ready; the one not used for longest makes room for another. Each takes about a megabyte and
    /// 3 ms to make.
    public var functionsPerWorker = 64
    /// Batches that may wait for a worker; more are refused with ``ScriptError/Code/busy``.
    public var waitingLimit = 10_000

    /// The default limits.
    public init() {}
}

/// Counts since the engine was made, for metrics.
public struct ScriptStatistics: Hashable, Sendable {
    /// Calls of functions, failed ones included.
    public internal(set) var calls = 0
    /// Failed calls by what went wrong.
    public internal(set) var failures: [ScriptError.Code: Int] = [:]
    /// Calls that were ended from outside, for their time or memory or because the engine stopped; each cost the worker its contexts.
    public internal(set) var terminations = 0
    /// Functions made ready by a worker (the same function again for each worker and after each termination).
    public internal(set) var compilations = 0
    /// Batches that wait for a worker now.
    public internal(set) var waiting = 0
    /// Batches that workers are at now.
    public internal(set) var running = 0
    /// Workers that there are now, each a thread and a JavaScript virtual machine.
    public internal(set) var workers = 0

    mutating func add(_ other: ScriptStatistics) {
        calls += other.calls
        failures.merge(other.failures, uniquingKeysWith: +)
        terminations += other.terminations
        compilations += other.compilations
    }
}

/// The engine's counts, shared by its workers.
final class ScriptCounters: Sendable {
    private let counts = Mutex(ScriptStatistics())

    var current: ScriptStatistics { counts.withLock { $0 } }

    func add(_ other: ScriptStatistics) {
        counts.withLock { $0.add(other) }
    }
}
