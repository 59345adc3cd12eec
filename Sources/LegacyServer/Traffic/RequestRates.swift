import Coordination
import LegacyProtocol

/// Limits the request rates of clients. Each client has a token bucket with a capacity of ``span`` seconds of its rate.
final class RequestRates: Sendable {
    private struct Bucket {
        var level: Double
        var filled: ContinuousClock.Instant
    }

    /// The capacity of a bucket, in seconds of the rate.
    static let span = 10.0

    /// Above this number of buckets, full buckets are removed; they are equivalent to missing ones.
    private static let cleanupThreshold = 10_000

    private struct State {
        /// Requests per second; `nil` for no limit.
        var rate: Double?
        var buckets: [ClientIdentity: Bucket] = [:]
    }

    private let state: Lock<State>

    /// - Parameter rate: Requests per second; `nil` for no limit.
    init(rate: Int?) {
        state = Lock(State(rate: rate.map { Double($0) }))
    }

    /// Changes the rate for the following requests.
    func change(rate: Int?) {
        state.withLock { state in
            let rate = rate.map { Double($0) }
            if rate != state.rate { state = State(rate: rate) }
        }
    }

    /// Counts a request.
    ///
    /// - Throws: ``LegacyError`` with code `tooManyRequests` if the client has exceeded the rate.
    func count(_ client: ClientIdentity, at now: ContinuousClock.Instant = .now) throws(LegacyError) {
        let exceeded: Double? = state.withLock { state in
            guard let rate = state.rate else { return nil }
            let capacity = max(1, rate * Self.span)
            func level(of bucket: Bucket) -> Double {
                min(capacity, bucket.level + rate * max(0, bucket.filled.duration(to: now) / .seconds(1)))
            }
            if state.buckets.count > Self.cleanupThreshold { state.buckets = state.buckets.filter { level(of: $0.value) < capacity } }
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
