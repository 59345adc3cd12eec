/// A batch that waits for a worker. Exactly one of its closures is called, once.
struct ScriptJob: Sendable {
    let id: UInt64
    /// Runs it, on the worker's thread. What it returns gives the caller the answer, once the worker counts as free again.
    let run: @Sendable (ScriptWorker) -> () -> Void
    /// Ends it without running it.
    let refuse: @Sendable (any Error) -> Void
}
