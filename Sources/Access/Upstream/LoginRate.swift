/// How often something has been tried of late: a bucket for each key that empties steadily (a generic cell rate algorithm).
struct LoginRate<Key: Hashable> {
    /// More keys than these are not watched at a time.
    private static var maximumCount: Int { 50_000 }

    private let perMinute: Int

    /// When each bucket is empty again, in milliseconds since 1970.
    private var emptyAt: [Key: Int64] = [:]

    /// - Parameter perMinute: how many at once, and how many a minute in the long run.
    init(perMinute: Int) {
        self.perMinute = max(1, perMinute)
    }

    /// Whether one more may be tried now; counts it if so.
    ///
    /// - Parameter now: in seconds since 1970.
    mutating func allows(_ key: Key, now: Int64) -> Bool {
        let now = now * 1000
        let step = Int64(60_000 / perMinute)
        let start = max(emptyAt[key] ?? now, now)
        guard start + step - now <= 60_000 else { return false }
        if emptyAt[key] == nil, emptyAt.count >= Self.maximumCount {
            emptyAt = emptyAt.filter { $0.value > now }
            // Whoever fills the table with names is held back, and not everybody's bound forgotten.
            guard emptyAt.count < Self.maximumCount else { return false }
        }
        emptyAt[key] = start + step
        return true
    }
}

/// Credentials that were refused a moment ago, by their digests, so that a client that keeps trying does not make us ask each time.
struct RefusalCache {
    static let maximumCount = 10_000

    private let lifetime: Int64
    private var refused: [[UInt8]: Int64] = [:]

    /// - Parameter lifetime: in seconds.
    init(lifetime: Int64) {
        self.lifetime = lifetime
    }

    /// - Parameter now: in seconds since 1970.
    func contains(_ digest: [UInt8], now: Int64) -> Bool {
        refused[digest].map { now < $0 } ?? false
    }

    mutating func insert(_ digest: [UInt8], now: Int64) {
        if refused.count >= Self.maximumCount {
            refused = refused.filter { now < $0.value }
            // The cache only saves questions; without it the rates still hold.
            if refused.count >= Self.maximumCount { refused.removeAll(keepingCapacity: true) }
        }
        refused[digest] = now + lifetime
    }
}
