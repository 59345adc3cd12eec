/// What a connection of a replicator tells it.
enum ReplicationEvent: Sendable {
    /// It is open and negotiated.
    case connected
    /// There is something to transfer, or nothing for now.
    case transfers(Bool)
    /// Changes came in sight, and others were dealt with.
    case progress(completed: Int, total: Int)
    /// Much has been transferred meanwhile.
    case bytes
    case documents(DocumentReplication)
}
