import Synchronization

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
    public package(set) var sentInVain: UInt64 = 0

    /// Deltas that have come and could not be applied.
    public package(set) var refused: UInt64 = 0

    public init() {}

    package mutating func noteSent(saving bytes: Int) {
        sent += 1
        sentBytesSaved += UInt64(max(0, bytes))
    }

    package mutating func noteReceived(_ delta: Int, whole: Int) {
        received += 1
        receivedBytesSaved += UInt64(max(0, whole - delta))
    }
}

/// Where connections count their deltas.
public final class DeltaCounter: Sendable {
    private let statistics = Mutex(DeltaStatistics())

    public init() {}

    /// What has been counted.
    public var current: DeltaStatistics { statistics.withLock { $0 } }

    package func note(_ change: (inout DeltaStatistics) -> Void) {
        statistics.withLock { change(&$0) }
    }
}
