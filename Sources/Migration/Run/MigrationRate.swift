/// Limits a run to a number of documents per second.
///
/// Time lost to other waits is made up for by a burst of at most one second's documents.
package struct MigrationRate: Sendable {
    /// Documents per second; `nil` for no limit.
    package let limit: Int?

    /// When the next batch may be written, relative to the start of the run.
    private var due = Duration.zero

    package init(_ limit: Int?) {
        self.limit = limit
    }

    /// Records written documents.
    ///
    /// - Parameter now: Time since the start of the run.
    /// - Returns: How long to wait; `nil` for no wait.
    package mutating func note(_ documents: Int, now: Duration) -> Duration? {
        guard let limit, limit > 0 else { return nil }
        due = max(due, now - .seconds(1)) + .seconds(1) * documents / limit
        return due > now ? due - now : nil
    }
}

/// Detects that a source responds more slowly than usual, so that the run yields to the source's other users.
struct SourceLatency: Sendable {
    /// Number of batches in the median.
    private static let memory = 31

    /// Smallest number of batches for a median.
    private static let leastCount = 5

    /// Latencies below this never count as slow, whatever the median.
    private static let least = Duration.milliseconds(200)

    /// Multiple of the median above which a batch counts as slow.
    private static let factor = 3

    private static let longestWait = Duration.seconds(10)

    private var recent: [Duration] = []

    /// Records the read latency of a batch.
    ///
    /// - Returns: How long to wait before the next read, and why; `nil` if the source is not slow.
    mutating func record(_ latency: Duration) -> (wait: Duration, reason: String)? {
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
