/// How far a replication has come since it was started. The total grows while changes are being found.
public struct ReplicatorProgress: Hashable, Sendable {
    /// The changes that have been dealt with, in both directions.
    public var completed: UInt64

    /// The changes that are known of.
    public var total: UInt64

    /// The bytes of all messages in both directions, as they travel: after their compression, before TLS. They are told with the changes, and
    /// while much is transferred.
    public var bytes: UInt64

    public init(completed: UInt64 = 0, total: UInt64 = 0, bytes: UInt64 = 0) {
        self.completed = completed
        self.total = total
        self.bytes = bytes
    }
}
