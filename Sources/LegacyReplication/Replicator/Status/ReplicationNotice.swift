/// Something that a replication tells.
public enum ReplicationNotice: Sendable {
    case change(ReplicationChange)
    case documents([DocumentTransfer])
}
