import Coordination
import CoreMetrics
package import Telemetry

/// The counters of delta sync, for metrics.
package struct DeltaStatistics: Hashable, Sendable {
    /// Revisions that were sent as deltas.
    package internal(set) var sent: UInt64 = 0

    /// Bytes saved by sending deltas instead of bodies, before compression.
    package internal(set) var sentBytesSaved: UInt64 = 0

    /// Deltas that were received and applied.
    package internal(set) var received: UInt64 = 0

    /// Bytes saved by receiving deltas instead of bodies, before compression.
    package internal(set) var receivedBytesSaved: UInt64 = 0

    /// Deltas to which the peer replied with an error.
    package var sentInVain: UInt64 = 0

    /// Deltas that were received and could not be applied.
    package var refused: UInt64 = 0

    package init() {}

    package mutating func recordSent(saving bytes: Int) {
        sent += 1
        sentBytesSaved += UInt64(max(0, bytes))
    }

    package mutating func recordReceived(_ delta: Int, whole: Int) {
        received += 1
        receivedBytesSaved += UInt64(max(0, whole - delta))
    }
}

/// The counter that connections share for their deltas.
package final class DeltaCounter: Sendable {
    private let statistics = Lock(DeltaStatistics())
    private let counters: [(value: any (KeyPath<DeltaStatistics, UInt64> & Sendable), counter: Counter)]

    /// - Parameter metrics: Receives the counts.
    package init(_ metrics: MetricsRegistry = MetricsRegistry()) {
        counters = [
            (\.sent, metrics.counter(.deltas, [("outcome", "sent")])),
            (\.received, metrics.counter(.deltas, [("outcome", "received")])),
            (\.sentInVain, metrics.counter(.deltas, [("outcome", "sent_in_vain")])),
            (\.refused, metrics.counter(.deltas, [("outcome", "refused")])),
            (\.sentBytesSaved, metrics.counter(.deltaBytes, [("direction", "sent")])),
            (\.receivedBytesSaved, metrics.counter(.deltaBytes, [("direction", "received")])),
        ]
    }

    /// The current counts.
    package var current: DeltaStatistics { statistics.withLock { $0 } }

    package func update(_ change: (inout DeltaStatistics) -> Void) {
        let (old, new) = statistics.withLock { statistics in
            let old = statistics
            change(&statistics)
            return (old, statistics)
        }
        for (value, counter) in counters where new[keyPath: value] > old[keyPath: value] {
            counter.increment(by: new[keyPath: value] - old[keyPath: value])
        }
    }
}
