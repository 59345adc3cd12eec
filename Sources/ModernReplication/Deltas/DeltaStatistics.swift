/// What delta sync has done since the start, for metrics.
public struct DeltaStatistics: Hashable, Sendable {
    /// Revisions that were sent as deltas.
    public internal(set) var sent: UInt64 = 0

    /// Bytes that their bodies would have had in addition, before compression.
    public internal(set) var sentBytesSaved: UInt64 = 0

    /// Deltas that have come and could be applied.
    public internal(set) var received: UInt64 = 0

    /// Bytes that the bodies would have had in addition, before compression.
    public internal(set) var receivedBytesSaved: UInt64 = 0

    /// Deltas that the peer could not apply, so that the whole revision was sent as well.
    public internal(set) var sentInVain: UInt64 = 0

    /// Deltas that have come and could not be applied.
    public internal(set) var refused: UInt64 = 0

    public init() {}

    mutating func noteSent(saving bytes: Int) {
        sent += 1
        sentBytesSaved += UInt64(max(0, bytes))
    }

    mutating func noteReceived(_ delta: Int, whole: Int) {
        received += 1
        receivedBytesSaved += UInt64(max(0, whole - delta))
    }
}
