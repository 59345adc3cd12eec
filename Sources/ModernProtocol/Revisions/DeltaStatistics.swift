import Synchronization

/// What delta sync has done since the start, for metrics.
package struct DeltaStatistics: Hashable, Sendable {
    /// Revisions that were sent as deltas.
    package internal(set) var sent: UInt64 = 0

    /// Bytes that their bodies would have had in addition, before compression.
    package internal(set) var sentBytesSaved: UInt64 = 0

    /// Deltas that have come and could be applied.
    package internal(set) var received: UInt64 = 0

    /// Bytes that the bodies would have had in addition, before compression.
    package internal(set) var receivedBytesSaved: UInt64 = 0

    /// Deltas that the peer could not apply, so that the whole revision was sent as well.
    package package(set) var sentInVain: UInt64 = 0

    /// Deltas that have come and could not be applied.
    package package(set) var refused: UInt64 = 0

    package init() {}

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
package final class DeltaCounter: Sendable {
    private let statistics = Mutex(DeltaStatistics())

    package init() {}

    /// What has been counted.
    package var current: DeltaStatistics { statistics.withLock { $0 } }

    package func note(_ change: (inout DeltaStatistics) -> Void) {
        statistics.withLock { change(&$0) }
    }
}
