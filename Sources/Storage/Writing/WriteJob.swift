/// One caller's work, waiting for its commit.
struct WriteJob: Sendable {
    let id: UInt64

    /// Does the work, and answers how to give its result to the caller once it is durable.
    let run: @Sendable (SQLiteTransaction) throws -> @Sendable () -> Void

    /// Gives the caller an error.
    let fail: @Sendable (any Error) -> Void
}
