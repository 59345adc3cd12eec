import Synchronization

/// Takes down how long reads and writes take, apart for each trouble in which they were under way.
final class Stopwatch: Sendable {
    enum Work: Hashable { case read, write }

    /// Of one kind of work.
    struct Record {
        var waits = Waits()

        /// How often the bridge did not do it.
        var refusals = 0
    }

    private struct Key: Hashable {
        let trouble: Trouble?
        let work: Work
    }

    private let now = Mutex<Trouble?>(nil)
    private let records = Mutex<[Key: Record]>([:])

    /// - Parameter trouble: The trouble from now on; `nil` for calm.
    func enter(_ trouble: Trouble?) {
        now.withLock { $0 = trouble }
    }

    func record(of work: Work, in trouble: Trouble?) -> Record {
        records.withLock { $0[Key(trouble: trouble, work: work)] ?? Record() }
    }

    /// - Parameter task: Says whether it was done.
    func time(_ work: Work, _ task: () -> Bool) {
        let (trouble, start) = (now.withLock { $0 }, ContinuousClock.now)
        let isDone = task()
        let wait = start.duration(to: .now)
        // A request that begins or ends in a trouble counts as the trouble's.
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
