/// One caller's work that waits for its turn.
struct Job<Context>: Identifiable, Sendable {
    let id: UInt64

    /// Does the work, and answers how to give its result to the caller.
    let run: @Sendable (Context) throws -> @Sendable () -> Void

    /// Gives the caller an error.
    let fail: @Sendable (any Error) -> Void
}
