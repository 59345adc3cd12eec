import LegacyProtocol
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

    private struct State {
        /// Requests a second; `nil` for any number.
        var rate: Double?
        var buckets: [ClientIdentity: Bucket] = [:]
    }

    private let state: Mutex<State>

    /// - Parameter rate: requests a second; `nil` for any number.
    init(rate: Int?) {
        state = Mutex(State(rate: rate.map { Double($0) }))
    }

    /// Counts by another rate from now on.
    func change(rate: Int?) {
        state.withLock { state in
            let rate = rate.map { Double($0) }
            if rate != state.rate { state = State(rate: rate) }
        }
    }

    /// Counts a request.
    ///
    /// - Throws: ``LegacyError`` with code `tooManyRequests` if there have been too many.
    func count(_ client: ClientIdentity, at now: ContinuousClock.Instant = .now) throws(LegacyError) {
        let exceeded: Double? = state.withLock { state in
            guard let rate = state.rate else { return nil }
            let capacity = max(1, rate * Self.span)
            func level(of bucket: Bucket) -> Double {
                min(capacity, bucket.level + rate * max(0, bucket.filled.duration(to: now) / .seconds(1)))
            }
            if state.buckets.count > Self.tidying { state.buckets = state.buckets.filter { level(of: $0.value) < capacity } }
            var bucket = state.buckets[client] ?? Bucket(level: capacity, filled: now)
            bucket = Bucket(level: level(of: bucket), filled: now)
            let isAllowed = bucket.level >= 1
            if isAllowed { bucket.level -= 1 }
            state.buckets[client] = bucket
            return isAllowed ? nil : rate
        }
        if let exceeded { throw LegacyError(.tooManyRequests, "More than \(Int(exceeded)) requests a second; send fewer") }
    }
}
