/// How often a connection is tried, and how long is waited in between: 2 s, 4 s, 8 s and so on, as LiteCore does
/// (docs/protocol/modern-2x.md#retries). LiteCore has no jitter.
struct ReplicatorBackoff: Sendable, Hashable {
    /// How many attempts there are in all; `nil` for no end.
    let maxAttempts: Int?

    /// The longest wait in seconds.
    let maxWait: Int

    /// Attempts made since something was replicated, the first included.
    private(set) var attempts = 1

    /// The doublings of the next wait.
    private var doublings = 0

    /// - Parameters:
    ///   - maxAttempts: 0 for the default: 10 for one-shot, no end for continuous replications.
    ///   - maxWait: Seconds; 0 for the default, 300.
    init(isContinuous: Bool, maxAttempts: Int = 0, maxWait: Int = 0) {
        self.maxAttempts = maxAttempts > 0 ? maxAttempts : isContinuous ? nil : 10
        self.maxWait = maxWait > 0 ? maxWait : 300
    }

    /// How long to wait before the next attempt, which is counted; `nil` if there is none left.
    mutating func next() -> Duration? {
        if let maxAttempts, attempts >= maxAttempts { return nil }
        attempts += 1
        doublings = min(doublings + 1, 30)
        return .seconds(min(1 << doublings, maxWait))
    }

    /// A connection has come about: the next wait is the shortest again.
    mutating func noteConnection() {
        doublings = 0
    }

    /// Something was replicated, or somebody wants it tried anew.
    mutating func reset() {
        doublings = 0
        attempts = 1
    }
}
