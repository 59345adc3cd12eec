/// A rate limiter by key (a generic cell rate algorithm).
struct LoginRate<Key: Hashable> {
    /// The maximum number of keys.
    private static var maximumCount: Int { 50_000 }

    private let perMinute: Int

    /// The time at which each bucket is empty, in milliseconds of a monotonic clock.
    private var emptyAt: [Key: Int64] = [:]

    /// - Parameter perMinute: The maximum burst, and the long-term rate per minute.
    init(perMinute: Int) {
        self.perMinute = max(1, perMinute)
    }

    /// Whether another attempt is allowed now. Counts it if so.
    ///
    /// - Parameter now: In seconds of a monotonic clock.
    mutating func allows(_ key: Key, now: Int64) -> Bool {
        let now = now * 1000
        let step = Int64(60_000 / perMinute)
        let start = max(emptyAt[key] ?? now, now)
        guard start + step - now <= 60_000 else { return false }
        if emptyAt[key] == nil, emptyAt.count >= Self.maximumCount {
            emptyAt = emptyAt.filter { $0.value > now }
            // If the table is full, new keys are refused, instead of removing the limits of other keys.
            guard emptyAt.count < Self.maximumCount else { return false }
        }
        emptyAt[key] = start + step
        return true
    }
}

/// Digests of recently refused credentials, so that a client's retries do not cause a request each.
struct RefusalCache {
    static let maximumCount = 10_000

    private let lifetime: Int64
    private var refused: [[UInt8]: Int64] = [:]

    /// - Parameter lifetime: in seconds.
    init(lifetime: Int64) {
        self.lifetime = lifetime
    }

    /// - Parameter now: In seconds of a monotonic clock.
    func contains(_ digest: [UInt8], now: Int64) -> Bool {
        refused[digest].map { now < $0 } ?? false
    }

    mutating func insert(_ digest: [UInt8], now: Int64) {
        if refused.count >= Self.maximumCount {
            refused = refused.filter { now < $0.value }
            // The cache only saves requests; without it the rate limits still hold.
            if refused.count >= Self.maximumCount { refused.removeAll(keepingCapacity: true) }
        }
        refused[digest] = now + lifetime
    }
}
