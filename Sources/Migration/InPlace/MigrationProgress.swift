/// How far a run has come.
public struct MigrationProgress: Sendable, Equatable {
    /// Documents looked at.
    public let done: Int

    /// Documents to look at, where that is known.
    public let total: Int?

    public init(done: Int, total: Int?) {
        self.done = done
        self.total = total
    }
}
