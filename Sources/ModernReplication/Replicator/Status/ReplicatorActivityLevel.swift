/// What a replicator is doing.
public enum ReplicatorActivityLevel: String, Sendable, CaseIterable {
    /// It has finished, was stopped, or met an error that does not pass.
    case stopped
    /// The other side cannot be reached, or the replicator is suspended; it will go on by itself or when resumed.
    case offline
    /// It is opening a connection.
    case connecting
    /// It has caught up and waits for changes; continuous replications only.
    case idle
    /// It is transferring.
    case busy
}
