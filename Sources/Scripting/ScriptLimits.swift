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
