/// How long something took, many times, in the space of a few: durations are counted by their magnitude, within a twelfth.
struct Waits: Sendable {
    private static let step = 1.08
    private static let smallest = 0.05
    private static let power = 240

    private var counts = [Int](repeating: 0, count: power)
    private(set) var count = 0
    private(set) var worst = Duration.zero

    mutating func add(_ wait: Duration) {
        var limit = Self.smallest
        var index = 0
        let milliseconds = wait / .milliseconds(1)
        while limit < milliseconds, index < Self.power - 1 {
            limit *= Self.step
            index += 1
        }
        counts[index] += 1
        count += 1
        worst = max(worst, wait)
    }

    /// The wait below which so many of a hundred stay.
    func below(percent: Int) -> Duration {
        var left = (count * percent + 99) / 100
        var limit = Self.smallest
        // The last magnitude is that of all that is longer.
        for many in counts.dropLast() {
            left -= many
            guard left > 0 else { return min(.milliseconds(1) * limit, worst) }
            limit *= Self.step
        }
        return worst
    }
}
