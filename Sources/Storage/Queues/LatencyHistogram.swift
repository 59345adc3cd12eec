/// How long answers took, in few classes, as Prometheus wants them.
struct LatencyHistogram: Sendable, Equatable {
    /// Upper bounds, in seconds.
    static let bounds = [0.005, 0.025, 0.1, 0.5, 2.5, 10]

    /// By bound, those above the bound before it; the last are above all.
    private(set) var counts = Array(repeating: 0, count: bounds.count + 1)

    /// All of them together, in seconds.
    private(set) var sum = 0.0

    mutating func add(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }

    var count: Int { counts.reduce(0, +) }

    /// How many were not above each bound; `+Inf` is the last.
    var cumulative: [(bound: String, count: Int)] {
        var count = 0
        return zip(Self.bounds.map { "\($0)" } + ["+Inf"], counts).map { bound, more in
            count += more
            return (bound, count)
        }
    }
}
