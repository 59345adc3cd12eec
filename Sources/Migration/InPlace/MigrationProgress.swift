/// How far a run has come.
public struct MigrationProgress: Sendable, Equatable {
    /// Documents looked at.
    public let done: Int

    /// Documents to look at, where that is known.
    public let total: Int?

    /// What is being done, where it is not always the same: `writing`, `comparing`.
    public let activity: String?

    /// Why it goes slower than it could, or stands still.
    public let holdUp: String?

    public init(done: Int, total: Int?, activity: String? = nil, holdUp: String? = nil) {
        self.done = done
        self.total = total
        self.activity = activity
        self.holdUp = holdUp
    }
}
