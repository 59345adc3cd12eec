import Synchronization

/// Where connections count their deltas.
public final class DeltaCounter: Sendable {
    private let statistics = Mutex(DeltaStatistics())

    public init() {}

    /// What has been counted.
    public var current: DeltaStatistics { statistics.withLock { $0 } }

    func note(_ change: (inout DeltaStatistics) -> Void) {
        statistics.withLock { change(&$0) }
    }
}
