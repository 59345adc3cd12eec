/// How many documents a step takes, so that no other writer waits long for it: less as soon as steps last.
public struct StepSize: Sendable {
    /// What a step may last. A client that comes just then waits as long.
    private static let longest = Duration.milliseconds(60)

    /// The first step, of which nobody knows how long it will last.
    private static let first = 100

    /// How many bytes of bodies a step holds in memory, besides those of its last document. The next one is read meanwhile, and holds as many.
    static let bytes = 8 << 20

    public private(set) var count: Int
    private let maximum: Int

    public init(maximum: Int) {
        self.maximum = max(1, maximum)
        count = min(Self.first, self.maximum)
    }

    /// Takes down how long a step lasted.
    public mutating func note(_ duration: Duration) {
        if duration > Self.longest {
            count = max(1, count / 2)
        } else if duration < Self.longest / 3 {
            count = min(maximum, count * 2)
        }
    }

    /// Takes a step of the size that is right now.
    public mutating func measure<Value: Sendable>(_ step: (Int) async throws -> Value) async rethrows -> Value {
        let start = ContinuousClock.now
        let value = try await step(count)
        note(ContinuousClock.now - start)
        return value
    }
}
