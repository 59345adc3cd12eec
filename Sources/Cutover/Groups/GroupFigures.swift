/// The experience of one group of devices in a span of time: the devices that are served here, or those that are passed on.
package struct GroupFigures: Hashable, Sendable {
    package var requests = 0

    /// Responses with an error, by class.
    package var errors: [ExchangeError: Int] = [:]

    /// The time until the response to a short request began.
    package var latency = LatencyDistribution()

    /// The number of documents that devices have written.
    package var received = 0

    /// The number of documents that a server has refused, for other reasons than a conflict.
    package var refused = 0

    /// The number of writes that were refused because of a newer revision.
    package var conflicts = 0

    /// The number of documents that devices have read.
    package var sent = 0

    /// The number of feeds that a device has begun to read anew although it had a position.
    package var rescans = 0

    package init() {}

    package mutating func add(_ other: GroupFigures) {
        requests += other.requests
        errors.merge(other.errors, uniquingKeysWith: +)
        latency.add(other.latency)
        received += other.received
        refused += other.refused
        conflicts += other.conflicts
        sent += other.sent
        rescans += other.rescans
    }

    /// The number of failures: responses with an error, and refused documents.
    package var failures: Int { errors.values.reduce(0, +) + refused }

    /// The share of failures in all requests and written documents, 0 to 1.
    package var failureRate: Double {
        let all = requests + received + refused
        return all == 0 ? 0 : Double(failures) / Double(all)
    }
}

/// The class of a response with an error.
package enum ExchangeError: String, Hashable, Sendable, CaseIterable {
    case unauthorized
    case forbidden
    /// Another status from 400 to 499. Missing documents (404), conflicts (409) and preconditions (412) are ordinary and not counted.
    case request
    case server

    /// - Returns: `nil` for a status that is no error.
    package init?(status: Int) {
        switch status {
        case 404, 409, 412: return nil
        case 401: self = .unauthorized
        case 403: self = .forbidden
        case 400..<500: self = .request
        case 500...: self = .server
        default: return nil
        }
    }
}

/// A distribution of durations, for quantiles: buckets whose bounds grow by a quarter.
package struct LatencyDistribution: Hashable, Sendable {
    private static let first = 0.00025
    private static let growth = 1.25

    /// The last bucket begins at about 600 seconds.
    private static let buckets = 67

    /// Empty before the first duration.
    private var counts: [UInt32] = []

    package init() {}

    package mutating func add(seconds: Double) {
        guard seconds.isFinite else { return }
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.buckets) }
        var (index, bound) = (0, Self.first)
        while seconds > bound, index < Self.buckets - 1 { (index, bound) = (index + 1, bound * Self.growth) }
        counts[index] &+= 1
    }

    package mutating func add(_ other: LatencyDistribution) {
        guard !other.counts.isEmpty else { return }
        counts = counts.isEmpty ? other.counts : zip(counts, other.counts).map { $0 &+ $1 }
    }

    /// The duration in seconds that a share of all durations does not exceed, at most a quarter too large; `nil` without durations.
    package func quantile(_ share: Double) -> Double? {
        let total = counts.reduce(0) { $0 + Int($1) }
        guard total > 0 else { return nil }
        var (seen, bound) = (0, Self.first)
        for count in counts {
            seen += Int(count)
            if Double(seen) >= share * Double(total) { break }
            bound *= Self.growth
        }
        return bound
    }
}
