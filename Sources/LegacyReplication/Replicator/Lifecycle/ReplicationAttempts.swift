/// How often a replication tries, where somebody has said it; else Couchbase Lite 1.x's rules hold.
struct ReplicationAttempts: Sendable, Hashable {
    /// How many attempts there are in all, the first included, until something is replicated; 0 for Couchbase Lite's rules.
    var maximum = 0

    /// The most seconds between two attempts; 0 for ten minutes.
    var longestWait = 0

    /// Whether a continuous replication goes on trying whatever the server refuses.
    var goesOnAfterRefusals = false

    /// The most seconds between two attempts of somebody who is to be back soon after the server is; 0 for ten minutes.
    var longestPersistentWait: Int { longestWait == 0 && goesOnAfterRefusals ? 60 : longestWait }

    /// Whether the attempts are counted, and then those of whole runs: a single request is not sent again.
    var isCounted: Bool { maximum > 0 }

    /// The waits between the attempts at a request of somebody who has no runs that could be repeated.
    var requestDelays: [Duration] {
        guard isCounted else { return ReplicationBackoff.requestDelays }
        var backoff = ReplicationBackoff(longestWait: longestWait)
        return (1..<max(1, min(maximum, 1_000))).map { _ in backoff.delay() }
    }
}
