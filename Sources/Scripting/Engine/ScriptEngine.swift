import Coordination
import CoreMetrics
import Dispatch
import Foundation
package import Telemetry

/// Runs JavaScript functions in JavaScriptCore on dedicated threads, with time and memory limits.
///
/// Each call, and each batch of calls, needs one round trip to a worker; many calls of one function therefore belong in one batch. Callers of one
/// database are served in order of arrival; databases take turns. A function that loops, throws or exceeds a limit fails only its own call.
///
/// An engine has no cost until its first call. A worker is a thread with a JavaScript virtual machine. It is created when a call finds all
/// workers busy, and released after ``ScriptLimits/idleTime`` without work.
///
/// JavaScriptCore uses the signal SIGUSR1 for its garbage collector; the process must not use that signal.
package final class ScriptEngine: Sendable {
    /// Default number of workers: one per processor, at most four.
    package static let defaultWorkers = min(4, max(1, ProcessInfo.processInfo.activeProcessorCount))

    /// Seconds that a database without a worker waits while others have all workers, before it gets an extra one. Most calls take much less.
    private static let extraWorkerDelay = 0.1

    private let queue: ScriptQueue
    private let counters: ScriptCounters
    private let limits: ScriptLimits

    /// Creates an engine without workers.
    /// - Parameters:
    ///   - workers: Largest number of threads and JavaScript virtual machines; at least one. While functions of one database have all of them,
    ///     each other database gets an extra one.
    ///   - limits: Limits of each call.
    package convenience init(workers: Int = ScriptEngine.defaultWorkers, limits: ScriptLimits = ScriptLimits()) {
        self.init(workers: workers, limits: limits, metrics: MetricsRegistry())
    }

    /// - Parameter metrics: Receives the counts.
    package init(workers: Int = ScriptEngine.defaultWorkers, limits: ScriptLimits = ScriptLimits(), metrics: MetricsRegistry) {
        counters = ScriptCounters(metrics)
        queue = ScriptQueue(workers: max(1, workers), limits: limits)
        self.limits = limits
    }

    deinit {
        queue.close()
    }

    /// Counts since the engine was created, and its current load.
    package var statistics: ScriptStatistics {
        var statistics = counters.current
        (statistics.waiting, statistics.running, statistics.workers) = queue.load
        return statistics
    }

    /// Calls a function with each input in order, on one worker.
    /// - Returns: The result or the error of each input.
    /// - Throws: ``ScriptError`` (`stopped`, `busy`), or `CancellationError` if the task was cancelled while it waited for a worker.
    package func call<Input, Output>(
        _ function: ScriptFunction<Input, Output>, each inputs: [Input]
    ) async throws -> [Result<Output, ScriptError>] {
        if inputs.isEmpty { return [] }
        return try await run(owner: function.owner) { $0.evaluate(function, inputs) }
    }

    /// Calls a function once.
    /// - Throws: ``ScriptError``, or `CancellationError` if the task was cancelled while it waited for a worker.
    package func call<Input, Output>(_ function: ScriptFunction<Input, Output>, _ input: Input) async throws -> Output {
        let results = try await call(function, each: [input])
        return try results[0].get()
    }

    /// Compiles a function on one worker, to check that it can be loaded.
    /// - Throws: ``ScriptError``: `compile` with message, line and column, or `timeout` or `memory` if evaluating the source exceeds a limit.
    package func compile<Input, Output>(_ function: ScriptFunction<Input, Output>) async throws {
        try await run(owner: function.owner) { $0.compile(function.key) }.get()
    }

    /// Stops the engine and returns when every thread has released its JavaScript. May be called more than once.
    ///
    /// Running calls are terminated unless they finish within some milliseconds. Terminated, waiting and later calls fail with
    /// ``ScriptError/Code/stopped``.
    package func stop() async {
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
                case .delayedWorker(let share):
                    DispatchQueue.global().asyncAfter(deadline: .now() + Self.extraWorkerDelay) { [queue, counters, limits] in
                        if queue.claimsExtraWorker(for: share) { ScriptWorker.start(queue: queue, counters: counters, limits: limits) }
                    }
                }
            }
        } onCancel: {
            queue.cancel(id)
        }
    }
}

/// Limits of scripts and of the queue.
package struct ScriptLimits: Hashable, Sendable {
    /// Processor time of one call; it does not depend on the load of the machine. It is checked after every tenth of the limit, at most every 10
    /// ms. A running native operation (a regular expression, a sort) finishes first.
    package var timeLimit: Duration = .seconds(1)
    /// Processor time of one batch. When it is used up, the remaining calls of the batch fail.
    package var batchTimeLimit: Duration = .seconds(10)
    /// Wall-clock time of one call, for calls that hardly get any processor time.
    package var wallTimeLimit: Duration = .seconds(60)
    /// Time without work after which a worker is released with its thread and its memory.
    package var idleTime: Duration = .seconds(10)
    /// Bytes by which the process may grow during one call, and that a worker's JavaScript heap may have between calls.
    ///
    /// The limit is checked as often as the time, so a script can exceed it by its allocations in that time or in one native operation. Only the
    /// whole process can be measured while a function runs, so other growth counts as well; the limit needs a margin.
    package var memoryLimit = 256 << 20
    /// Bytes of each argument.
    package var argumentLimit = 32 << 20
    /// Characters of a result.
    package var resultLimit = 32 << 20
    /// Characters of a string created by one native operation (`repeat`, `padStart`, `padEnd`, the separators of `join`).
    package var stringLimit = 16 << 20
    /// Compiled functions per worker; the least recently used one is evicted. Each takes about a megabyte, and 3 ms to create.
    package var functionsPerWorker = 64
    /// Batches that may wait for a worker; further ones fail with ``ScriptError/Code/busy``.
    package var waitingLimit = 10_000

    /// The default limits.
    package init() {}
}

/// Counts since the engine was created, for metrics.
package struct ScriptStatistics: Hashable, Sendable {
    /// Calls of functions, including failed ones.
    package internal(set) var calls = 0
    /// Failed calls by error code.
    package internal(set) var failures: [ScriptError.Code: Int] = [:]
    /// Calls that were terminated because of time, memory or the engine's stop. Each discards the worker's contexts.
    package internal(set) var terminations = 0
    /// Compilations by workers. The same function is compiled again for each worker and after each termination.
    package internal(set) var compilations = 0
    /// Batches that currently wait for a worker.
    package internal(set) var waiting = 0
    /// Batches that currently run.
    package internal(set) var running = 0
    /// Current workers, each a thread and a JavaScript virtual machine.
    package internal(set) var workers = 0

    mutating func add(_ other: ScriptStatistics) {
        calls += other.calls
        failures.merge(other.failures, uniquingKeysWith: +)
        terminations += other.terminations
        compilations += other.compilations
    }
}

/// The engine's counts, shared by its workers.
final class ScriptCounters: Sendable {
    private struct State {
        var counts = ScriptStatistics()
        var failures: [ScriptError.Code: Counter] = [:]
    }

    private let metrics: MetricsRegistry
    private let calls: Counter
    private let terminations: Counter
    private let state = Lock(State())

    init(_ metrics: MetricsRegistry) {
        self.metrics = metrics
        calls = metrics.counter(.scriptCalls)
        terminations = metrics.counter(.scriptTerminations)
    }

    var current: ScriptStatistics { state.withLock { $0.counts } }

    func add(_ other: ScriptStatistics) {
        calls.increment(by: other.calls)
        terminations.increment(by: other.terminations)
        state.withLock { state in
            state.counts.add(other)
            for (code, count) in other.failures {
                let counter = state.failures[code] ?? metrics.counter(.scriptFailures, [("kind", code.description)])
                state.failures[code] = counter
                counter.increment(by: count)
            }
        }
    }
}
