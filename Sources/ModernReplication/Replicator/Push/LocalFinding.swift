import Documents

/// What a row of the local feed comes to.
enum LocalFinding: Sendable {
    case change(LocalChange)
    /// The server's revision and the one here are in conflict, and both are here.
    case conflict(LocalChange, remote: RevisionID)
    /// What has won here takes the place of the server's revision, and needs a higher generation than that one to follow it.
    case low(LocalChange, below: RevisionID)
    /// The server's revision is on its way.
    case awaited(LocalChange)
    /// The server has it.
    case unchanged
    /// No 2.x+ server can take it.
    case refused(LocalChange, ReplicatorError)
    /// Something newer follows in the feed, or it is none of a client's documents.
    case passed
}
