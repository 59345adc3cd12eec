/// What a replication is doing: Couchbase Lite 1.x's four states.
public enum ReplicationStatus: Int, Sendable, CaseIterable {
    /// It was not started, has finished, was stopped, or met an error that does not pass.
    case stopped = 0
    /// The server cannot be reached. It is tried again by itself.
    case offline = 1
    /// It has caught up and waits for changes; continuous replications only.
    case idle = 2
    /// It is transferring, or finding out what there is to transfer.
    case active = 3
}
