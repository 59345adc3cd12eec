import Synchronization

/// Where the connections of a listener or a replicator count their deltas.
final class DeltaCounter: Sendable {
    private let statistics = Mutex(DeltaStatistics())

    var current: DeltaStatistics { statistics.withLock { $0 } }

    func note(_ change: (inout DeltaStatistics) -> Void) {
        statistics.withLock { change(&$0) }
    }
}
