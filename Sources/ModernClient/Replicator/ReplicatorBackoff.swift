/// The number of connection attempts and the waits between them: 2 s, 4 s, 8 s and so on, as in LiteCore
/// (docs/protocol/modern-2x.md#retries). LiteCore has no jitter.
struct ReplicatorBackoff: Sendable, Hashable {
    /// The maximum number of attempts; `nil` for no limit.
    let maxAttempts: Int?

    /// The maximum wait in seconds.
    let maxWait: Int

    /// The number of attempts since the last replicated document, including the first.
    private(set) var attempts = 1

    /// The exponent of the last wait: its duration is 2 to this power in seconds, up to ``maxWait``.
    private var doublings = 0

    /// - Parameters:
    ///   - maxAttempts: 0 for the default: 10 for one-shot replications, no limit for continuous ones.
    ///   - maxWait: Seconds; 0 for the default, 300.
    init(isContinuous: Bool, maxAttempts: Int = 0, maxWait: Int = 0) {
        self.maxAttempts = maxAttempts > 0 ? maxAttempts : isContinuous ? nil : 10
        self.maxWait = maxWait > 0 ? maxWait : 300
    }

    /// Counts the next attempt and returns the wait before it; `nil` if no attempt is left.
    mutating func next() -> Duration? {
        if let maxAttempts, attempts >= maxAttempts { return nil }
        attempts += 1
        doublings = min(doublings + 1, 30)
        return .seconds(min(1 << doublings, maxWait))
    }

    /// Resets the wait after a successful connection; the attempts still count.
    mutating func recordConnection() {
        doublings = 0
    }

    /// Resets the wait and the attempts, after a replicated document or on request.
    mutating func reset() {
        doublings = 0
        attempts = 1
    }
}
