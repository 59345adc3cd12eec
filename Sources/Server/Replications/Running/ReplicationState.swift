/// What a replication is doing, and how far it has come.
public struct ReplicationState: Hashable, Sendable {
    public enum Activity: String, Hashable, Sendable {
        /// It was not started, has finished, was stopped, or met an error that does not pass.
        case stopped
        /// The other side cannot be reached. It is tried again.
        case offline
        case connecting
        /// It has caught up and waits for changes.
        case idle
        case busy
    }

    public var activity = Activity.stopped

    /// The changes that have been dealt with since it was started, and those that are known of. The total grows while changes are being found.
    public var completed = 0
    public var total = 0

    /// The changes of which this side and the other side were asked whether they have them.
    public var checkedPulling = 0
    public var checkedPushing = 0

    /// The bytes that have been transferred; 0 where they are not counted.
    public var bytes = 0

    /// The last error; it need not be fatal.
    public var failure: ReplicationFailure?

    public init() {}
}
