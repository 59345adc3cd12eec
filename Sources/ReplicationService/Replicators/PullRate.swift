import Migration
import ModernClient

/// Limits a pull to a number of documents a second: a filter that delays, so that the replicator requests no more from the server.
actor PullRate {
    private var rate: MigrationRate
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter limit: the documents a second, at least 1.
    init(_ limit: Int) {
        let clock = ContinuousClock()
        let start = clock.now
        self.init(limit, now: { clock.now - start }, sleep: { try await clock.sleep(for: $0) })
    }

    /// - Parameter now: the time since an arbitrary start.
    init(_ limit: Int, now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        rate = MigrationRate(max(1, limit))
        self.now = now
        self.sleep = sleep
    }

    /// A filter that delays and then decides like `other`.
    nonisolated func filter(_ other: ReplicationFilter?) -> ReplicationFilter {
        ReplicationFilter { document, flags in
            try await self.wait()
            return try await other?.callAsFunction(document, flags) ?? true
        }
    }

    private func wait() async throws {
        guard let wait = rate.note(1, now: now()) else { return }
        try await sleep(wait)
    }
}
