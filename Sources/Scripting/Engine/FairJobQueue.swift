import DequeModule

/// The batches that wait for a worker, by the database that they are of, and who is next: that database of which the fewest batches run; of several, the
/// one that has waited longest. So a database with slow functions makes its own calls wait, and no other's.
struct FairJobQueue {
    private struct Waiting {
        let order: UInt64
        let job: ScriptJob
    }

    private var waiting: [String: Deque<Waiting>] = [:]
    private var running: [String: Int] = [:]
    private var lastOrder: UInt64 = 0

    /// How many batches wait.
    private(set) var count = 0

    /// Whose share a batch draws on: the database's, with whose name its owner begins.
    static func share(of owner: String) -> String { String(owner.prefix { $0 != "." && $0 != " " }) }

    /// Whether a share has a batch that waits, and none that runs.
    func isStarved(_ share: String) -> Bool { running[share] == nil && waiting[share] != nil }

    /// Whether any share is.
    var hasStarved: Bool { waiting.keys.contains { running[$0] == nil } }

    mutating func add(_ job: ScriptJob, to share: String) {
        lastOrder += 1
        count += 1
        waiting[share, default: []].append(Waiting(order: lastOrder, job: job))
    }

    /// Takes the next batch, which runs from now on.
    mutating func take() -> (job: ScriptJob, share: String)? {
        let next = waiting.min { a, b in
            (running[a.key] ?? 0, a.value.first?.order ?? 0) < (running[b.key] ?? 0, b.value.first?.order ?? 0)
        }
        guard let share = next?.key, let first = waiting[share]?.popFirst() else { return nil }
        if waiting[share]?.isEmpty == true { waiting[share] = nil }
        count -= 1
        running[share, default: 0] += 1
        return (first.job, share)
    }

    /// A batch that ran is over.
    mutating func finish(_ share: String) {
        let left = (running[share] ?? 0) - 1
        running[share] = left > 0 ? left : nil
    }

    /// Takes out a batch that has not begun.
    mutating func remove(_ id: UInt64) -> ScriptJob? {
        for (share, jobs) in waiting {
            guard let index = jobs.firstIndex(where: { $0.job.id == id }) else { continue }
            let removed = waiting[share]?.remove(at: index)
            if waiting[share]?.isEmpty == true { waiting[share] = nil }
            count -= 1
            return removed?.job
        }
        return nil
    }

    /// Takes out all batches that have not begun.
    mutating func removeAll() -> [ScriptJob] {
        defer { (waiting, count) = ([:], 0) }
        return waiting.values.flatMap { $0 }.sorted { $0.order < $1.order }.map(\.job)
    }
}

/// A batch that waits for a worker. Exactly one of its closures is called, once.
struct ScriptJob: Sendable {
    let id: UInt64
    /// Runs it, on the worker's thread. What it returns gives the caller the answer, once the worker counts as free again.
    let run: @Sendable (ScriptWorker) -> () -> Void
    /// Ends it without running it.
    let refuse: @Sendable (any Error) -> Void
}
