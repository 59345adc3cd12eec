import DequeModule

/// The waiting batches, grouped by database.
///
/// The next batch is of the database with the fewest running batches; among several, of the one that has waited longest. A database with slow
/// functions therefore delays only its own calls.
struct FairJobQueue {
    private struct Waiting {
        let order: UInt64
        let job: ScriptJob
    }

    private var waiting: [String: Deque<Waiting>] = [:]
    private var running: [String: Int] = [:]
    private var lastOrder: UInt64 = 0

    /// Number of waiting batches.
    private(set) var count = 0

    /// The share of a function's owner: the database name at the beginning of the owner.
    static func share(of owner: String) -> String { String(owner.prefix { $0 != "." && $0 != " " }) }

    /// Whether a share has waiting batches and no running one.
    func isStarved(_ share: String) -> Bool { running[share] == nil && waiting[share] != nil }

    /// Whether any share is starved.
    var hasStarved: Bool { waiting.keys.contains { running[$0] == nil } }

    mutating func add(_ job: ScriptJob, to share: String) {
        lastOrder += 1
        count += 1
        waiting[share, default: []].append(Waiting(order: lastOrder, job: job))
    }

    /// Removes the next batch and counts it as running.
    mutating func dequeue() -> (job: ScriptJob, share: String)? {
        let next = waiting.min { a, b in
            (running[a.key] ?? 0, a.value.first?.order ?? 0) < (running[b.key] ?? 0, b.value.first?.order ?? 0)
        }
        guard let share = next?.key, let first = waiting[share]?.popFirst() else { return nil }
        if waiting[share]?.isEmpty == true { waiting[share] = nil }
        count -= 1
        running[share, default: 0] += 1
        return (first.job, share)
    }

    /// Records that a running batch has finished.
    mutating func finish(_ share: String) {
        let left = (running[share] ?? 0) - 1
        running[share] = left > 0 ? left : nil
    }

    /// Removes a waiting batch.
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

    /// Removes all waiting batches.
    mutating func removeAll() -> [ScriptJob] {
        defer { (waiting, count) = ([:], 0) }
        return waiting.values.flatMap { $0 }.sorted { $0.order < $1.order }.map(\.job)
    }
}

/// A batch that waits for a worker. Exactly one of its closures is called, exactly once.
struct ScriptJob: Sendable {
    let id: UInt64
    /// Runs the batch on the worker's thread. The returned closure resumes the caller; it is called after the worker counts as free again.
    let run: @Sendable (ScriptWorker) -> () -> Void
    /// Fails the batch without running it.
    let refuse: @Sendable (any Error) -> Void
}
