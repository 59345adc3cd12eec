/// A histogram of durations in the form of Prometheus's histograms.
package struct LatencyHistogram: Sendable, Equatable {
    /// Upper bounds, in seconds.
    package static let bounds = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 2.5, 10]

    /// The number of durations in each bucket. The last bucket has no upper bound.
    package private(set) var counts = Array(repeating: 0, count: bounds.count + 1)

    /// The sum of all durations, in seconds.
    package private(set) var sum = 0.0

    package init() {}

    package mutating func add(seconds: Double) {
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }

    package var count: Int { counts.reduce(0, +) }

    /// The cumulative number of durations up to each bound; `+Inf` is the last bound.
    package var cumulative: [(bound: String, count: Int)] {
        var count = 0
        return zip(Self.bounds.map { "\($0)" } + ["+Inf"], counts).map { bound, more in
            count += more
            return (bound, count)
        }
    }
}
