import Synchronization

/// How many requests clients have sent of late: each has a bucket that holds ``span`` seconds' worth, and is filled again all the time.
final class RequestRates: Sendable {
    private struct Bucket {
        var level: Double
        var filled: ContinuousClock.Instant
    }

    /// So many seconds of silence allow a client this long of the rate at once.
    static let span = 10.0

    /// With more buckets than this, the full ones, which tell nothing, are thrown away.
    private static let tidying = 10_000

    private let rate: Double
    private let buckets = Mutex<[ClientIdentity: Bucket]>([:])

    /// - Parameter rate: requests a second.
    init(rate: Int) {
        self.rate = Double(rate)
    }

    /// Counts a request.
    ///
    /// - Throws: ``LegacyError`` with code `tooManyRequests` if there have been too many.
    func count(_ client: ClientIdentity, at now: ContinuousClock.Instant = .now) throws(LegacyError) {
        let isAllowed = buckets.withLock { buckets in
            if buckets.count > Self.tidying { buckets = buckets.filter { level(of: $0.value, now) < capacity } }
            var bucket = buckets[client] ?? Bucket(level: capacity, filled: now)
            bucket = Bucket(level: level(of: bucket, now), filled: now)
            let isAllowed = bucket.level >= 1
            if isAllowed { bucket.level -= 1 }
            buckets[client] = bucket
            return isAllowed
        }
        guard isAllowed else { throw LegacyError(.tooManyRequests, "More than \(Int(rate)) requests a second; send fewer") }
    }

    private var capacity: Double { max(1, rate * Self.span) }

    private func level(of bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
        min(capacity, bucket.level + rate * max(0, bucket.filled.duration(to: now) / .seconds(1)))
    }
}
