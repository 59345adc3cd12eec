/// What a replicator's change listener is told.
public struct ReplicatorChange: Sendable {
    public let replicator: Replicator
    public let status: ReplicatorStatus
}
