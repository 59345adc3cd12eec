/// What a run tells of itself.
enum ReplicationEvent: Sendable {
    /// The server has answered.
    case connected
    /// Whether there is anything to do; it is not over when there is not.
    case transfers(Bool)
    /// Changes that were found, and changes that were dealt with; changes that one side was asked whether it has them; bytes of bodies.
    case progress(completed: Int = 0, total: Int = 0, checked: Int = 0, bytes: Int = 0)
    case documents([DocumentTransfer])
    /// A push has dealt with everything up to here in the local feed.
    case reached(String)
    /// Something failed that does not end the run.
    case failed(ReplicationError)
    /// The server's feed cannot be read for now, and is tried again.
    case interrupted(ReplicationError)
    /// The feed is read again.
    case resumed
    /// The server's database is not what it was. What it may have lost is offered to it again.
    case restored(ReplicationError)
}
