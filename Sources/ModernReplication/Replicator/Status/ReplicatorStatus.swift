/// A replicator's state at one moment.
public struct ReplicatorStatus: Hashable, Sendable {
    public var activity: ReplicatorActivityLevel
    public var progress: ReplicatorProgress

    /// The last error, until a connection comes about again.
    public var error: ReplicatorError?

    public init(
        activity: ReplicatorActivityLevel = .stopped, progress: ReplicatorProgress = ReplicatorProgress(), error: ReplicatorError? = nil
    ) {
        self.activity = activity
        self.progress = progress
        self.error = error
    }
}
