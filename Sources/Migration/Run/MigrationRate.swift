/// Keeps a run below a number of documents a second.
///
/// What is lost by waiting for others is caught up as far as a second's worth.
package struct MigrationRate: Sendable {
    /// Documents a second; `nil` for as many as there are.
    package let limit: Int?

    /// When the next batch may be written, on a clock that begins with the run.
    private var due = Duration.zero

    package init(_ limit: Int?) {
        self.limit = limit
    }

    /// Takes down that `documents` have been taken.
    ///
    /// - Parameter now: since the run began.
    /// - Returns: how long to wait; `nil` if there is no need.
    package mutating func note(_ documents: Int, now: Duration) -> Duration? {
        guard let limit, limit > 0 else { return nil }
        due = max(due, now - .seconds(1)) + .seconds(1) * documents / limit
        return due > now ? due - now : nil
    }
}

/// Notices that a source has become slow, by its own measure: others are using it, and shall have it.
struct SourceLatency: Sendable {
    /// How many batches the measure is taken from.
    private static let memory = 31

    /// How many are needed before anything is said.
    private static let leastCount = 5

    /// Below this nobody suffers, however fast the source was before.
    private static let least = Duration.milliseconds(200)

    /// How many times slower than as a rule is slow.
    private static let factor = 3

    private static let longestWait = Duration.seconds(10)

    private var recent: [Duration] = []

    /// Takes down how long a batch was read.
    ///
    /// - Returns: how long to leave the source alone, and why; `nil` if it is as it was.
    mutating func note(_ latency: Duration) -> (wait: Duration, reason: String)? {
        defer {
            recent.append(latency)
            if recent.count > Self.memory { recent.removeFirst() }
        }
        guard recent.count >= Self.leastCount else { return nil }
        let median = recent.sorted()[recent.count / 2]
        guard latency > Self.least, latency > median * Self.factor else { return nil }
        return (
            min(latency, Self.longestWait),
            "the source has become slow: \(Self.text(latency)) for a batch, \(Self.text(median)) as a rule"
        )
    }

    private static func text(_ duration: Duration) -> String {
        "\(duration / .milliseconds(1) >= 1_000 ? "\(Int(duration / .milliseconds(100)) / 10).\(Int(duration / .milliseconds(100)) % 10) s" : "\(Int(duration / .milliseconds(1))) ms")"
    }
}
