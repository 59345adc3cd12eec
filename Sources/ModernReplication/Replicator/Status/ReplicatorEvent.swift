/// Something that a replicator tells.
public enum ReplicatorEvent: Sendable {
    case status(ReplicatorStatus)
    case documents(DocumentReplication)
}
