/// Something that a replication tells.
public enum ReplicationReport: Sendable {
    case state(ReplicationState)
    case documents([ReplicationOutcome])
}
