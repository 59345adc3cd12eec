/// How long Couchbase Lite 1.4 for iOS waits before it tries again (docs/protocol/legacy-1x.md#retries-of-couchbase-lite).
struct ReplicationBackoff: Sendable, Hashable {
    /// A single request that failed transiently is sent two more times, after these waits.
    static let requestDelays: [Duration] = [.seconds(4), .seconds(8)]

    /// How long a continuous replication that met an error is idle before it begins anew.
    static let retryDelay = Duration.seconds(60)

    private let longest: Int
    private var next: Int

    /// - Parameter longestWait: In seconds; 0 for ten minutes.
    init(longestWait: Int = 0) {
        longest = longestWait > 0 ? longestWait : 600
        next = min(2, longest)
    }

    /// The wait before the feed is opened again, or the server tried again: 2 s, doubling up to the longest.
    mutating func delay() -> Duration {
        defer { next = next > longest / 2 ? longest : next * 2 }
        return .seconds(next)
    }

    /// Something worked: the next wait is the shortest again.
    mutating func reset() {
        next = min(2, longest)
    }
}
