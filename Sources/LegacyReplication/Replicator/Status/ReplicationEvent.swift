/// What a run tells of itself.
enum ReplicationEvent: Sendable {
    /// The server has answered.
    case connected
    /// Whether there is anything to do; it is not over when there is not.
    case transfers(Bool)
    /// Changes that were found, and changes that were dealt with.
    case progress(completed: Int, total: Int)
    case documents([DocumentTransfer])
    /// Something failed that does not end the run.
    case failed(ReplicationError)
}
