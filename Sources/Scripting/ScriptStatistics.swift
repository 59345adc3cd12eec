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
