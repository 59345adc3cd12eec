import Synchronization

@testable import LegacyClient

/// A clock on which waits take no time, but that for the next checkpoint, which never ends. It remembers the waits, in seconds.
struct ImpatientClock: Clock {
    typealias Instant = ContinuousClock.Instant

    private final class Log: Sendable {
        let waits = Mutex<[Int64]>([])
    }

    private let log = Log()
    private let maximum: Int

    /// - Parameter maximum: After so many waits the next one never ends, so that nothing goes on without end.
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
        // A wait that the test is not to see the end of: it ends by cancellation.
        if isForever { try await Task.sleep(for: .seconds(3600)) } else { await Task.yield() }
        try Task.checkCancellation()
    }
}
