/// Adapts the number of documents per step to its duration, so that no other writer waits long.
package struct StepSize: Sendable {
    /// The target duration of a step. A concurrent client waits as long.
    private static let longest = Duration.milliseconds(60)

    /// The size of the first step, before any measurement.
    private static let first = 100

    /// The limit for the bodies of a step in memory, in bytes, without its last document. The next step is prepared meanwhile, with the same limit.
    static let bytes = 8 << 20

    package private(set) var count: Int
    private let maximum: Int

    package init(maximum: Int) {
        self.maximum = max(1, maximum)
        count = min(Self.first, self.maximum)
    }

    /// Adjusts the size to the duration of a step.
    package mutating func note(_ duration: Duration) {
        if duration > Self.longest {
            count = max(1, count / 2)
        } else if duration < Self.longest / 3 {
            count = min(maximum, count * 2)
        }
    }

    /// Runs a step with the current size, and measures it.
    package mutating func measure<Value: Sendable>(_ step: (Int) async throws -> Value) async rethrows -> Value {
        let start = ContinuousClock.now
        let value = try await step(count)
        note(ContinuousClock.now - start)
        return value
    }
}
