import Migration
import ModernClient

/// Holds a pull back to a number of documents a second: a filter that takes its time, so that the server is not asked for more.
actor PullRate {
    private var rate: MigrationRate
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter limit: Documents a second, at least 1.
    init(_ limit: Int) {
        let clock = ContinuousClock()
        let start = clock.now
        self.init(limit, now: { clock.now - start }, sleep: { try await clock.sleep(for: $0) })
    }

    /// - Parameter now: The time since some beginning.
    init(_ limit: Int, now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        rate = MigrationRate(max(1, limit))
        self.now = now
        self.sleep = sleep
    }

    /// A filter that lets pass what `other` does, when it is time.
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
