import ModernReplication

/// Holds a pull back to a number of documents a second: a filter that takes its time, so that the server is not asked for more.
actor PullRate {
    private let interval: Duration
    private let clock = ContinuousClock()
    private var due: ContinuousClock.Instant

    /// - Parameter limit: Documents a second, at least 1.
    init(_ limit: Int) {
        interval = .seconds(1) / max(1, limit)
        due = clock.now
    }

    /// A filter that lets pass what `other` does, when it is time.
    nonisolated func filter(_ other: ReplicationFilter?) -> ReplicationFilter {
        ReplicationFilter { document, flags in
            try await self.wait()
            return try await other?.callAsFunction(document, flags) ?? true
        }
    }

    private func wait() async throws {
        due = max(due, clock.now) + interval
        try await clock.sleep(until: due)
    }
}
