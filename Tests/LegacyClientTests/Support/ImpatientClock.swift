import Coordination

@testable import LegacyClient

/// A clock whose waits take no time, except the wait for the next checkpoint, which never ends. It records the waits in seconds.
struct ImpatientClock: Clock {
    typealias Instant = ContinuousClock.Instant

    private final class Log: Sendable {
        let waits = Lock<[Int64]>([])
    }

    private let log = Log()
    private let maximum: Int

    /// - Parameter maximum: The number of waits after which the next one never ends, so that a test cannot loop for ever.
    init(maximum: Int = 1_000) {
        self.maximum = maximum
    }

    var now: Instant { .now }
    var minimumResolution: Duration { .zero }
    var waits: [Int64] { log.waits.withLock { $0 } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let seconds = Int64(((deadline - .now) / .seconds(1)).rounded())
        let isForever = log.waits.withLock { waits in
            if seconds == ReplicationLimits().checkpointInterval.components.seconds { return true }
            if seconds > 0 { waits.append(seconds) }
            return waits.count > maximum
        }
        // A wait that ends only by cancellation.
        if isForever { try await Task.sleep(for: .seconds(3600)) } else { await Task.yield() }
        try Task.checkCancellation()
    }
}
