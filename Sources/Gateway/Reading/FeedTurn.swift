/// What an idle feed does when it is woken.
public enum FeedTurn {
    /// Does it in a task of its own, which is cancelled with the feed's.
    ///
    /// A task keeps the memory of its deepest calls until it ends, and a feed's waits for as long as the client likes. Nothing in it
    /// depends on values of the feed's task, so they are not copied.
    @inline(never)
    public static func run<Value: Sendable>(_ turn: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task.detached(operation: turn)
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
