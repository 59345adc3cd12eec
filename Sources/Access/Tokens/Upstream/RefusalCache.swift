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
