import Coordination

/// Records the durations of reads and writes, separately for each trouble during which they ran.
final class Stopwatch: Sendable {
    enum Work: Hashable { case read, write }

    /// Durations of one kind of work.
    struct Record {
        var waits = Waits()

        /// Number of failed requests.
        var refusals = 0
    }

    private struct Key: Hashable {
        let trouble: Trouble?
        let work: Work
    }

    private let now = Lock<Trouble?>(nil)
    private let records = Lock<[Key: Record]>([:])

    /// - Parameter trouble: The current trouble; `nil` for calm.
    func enter(_ trouble: Trouble?) {
        now.withLock { $0 = trouble }
    }

    func record(of work: Work, in trouble: Trouble?) -> Record {
        records.withLock { $0[Key(trouble: trouble, work: work)] ?? Record() }
    }

    /// - Parameter task: Returns whether it succeeded.
    func time(_ work: Work, _ task: () -> Bool) {
        let (trouble, start) = (now.withLock { $0 }, ContinuousClock.now)
        let isDone = task()
        let wait = start.duration(to: .now)
        // A request that begins or ends during a trouble counts for that trouble.
        let key = Key(trouble: trouble ?? now.withLock { $0 }, work: work)
        records.withLock { records in
            if isDone {
                records[key, default: Record()].waits.add(wait)
            } else {
                records[key, default: Record()].refusals += 1
            }
        }
    }
}

/// A histogram of durations in constant memory, with logarithmic buckets of 8 %.
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

    /// The percentile of the durations.
    func below(percent: Int) -> Duration {
        var left = (count * percent + 99) / 100
        var limit = Self.smallest
        // The last bucket contains all longer durations.
        for many in counts.dropLast() {
            left -= many
            guard left > 0 else { return min(.milliseconds(1) * limit, worst) }
            limit *= Self.step
        }
        return worst
    }
}
