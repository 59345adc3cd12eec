import Foundation
import Synchronization

/// The batches that wait for a worker, in the order in which they came.
///
/// `@unchecked Sendable`: every mutable property is touched only while `condition` is locked.
final class ScriptQueue: @unchecked Sendable {
    /// Set once, when the engine is stopped; workers look at it between calls.
    let isClosed = Atomic(false)

    private let condition = NSCondition()
    private let limit: Int
    private var jobs: [ScriptJob] = []
    /// The jobs before this index are taken.
    private var head = 0
    private var nextID: UInt64 = 0
    /// IDs given out whose jobs have not come yet: a task may be cancelled before its job is here.
    private var reserved: Set<UInt64> = []
    private var workers: Int
    private var running = 0
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []

    init(workers: Int, limit: Int) {
        self.workers = workers
        self.limit = limit
    }

    var load: (waiting: Int, running: Int) { condition.withLock { (jobs.count - head, running) } }

    /// An ID for a job.
    func reserve() -> UInt64 {
        condition.withLock {
            nextID += 1
            reserved.insert(nextID)
            return nextID
        }
    }

    /// Adds a job, or refuses it.
    func add(_ job: ScriptJob, owner: String) {
        let refusal: (any Error)? = condition.withLock {
            guard reserved.remove(job.id) != nil else { return CancellationError() }
            if isClosed.load(ordering: .relaxed) { return ScriptError(.stopped, "the script engine was stopped", owner: owner) }
            guard jobs.count - head < limit else {
                return ScriptError(.busy, "\(limit) batches wait already; try again later", owner: owner)
            }
            jobs.append(job)
            condition.signal()
            return nil
        }
        if let refusal { job.refuse(refusal) }
    }

    /// Takes a job out that no worker has begun.
    func cancel(_ id: UInt64) {
        let job: ScriptJob? = condition.withLock {
            if reserved.remove(id) != nil { return nil }
            return jobs[head...].firstIndex { $0.id == id }.map { jobs.remove(at: $0) }
        }
        job?.refuse(CancellationError())
    }

    /// Waits for the next job, on a worker's thread; nil once the queue is closed.
    func next() -> ScriptJob? {
        condition.withLock {
            while head == jobs.count, !isClosed.load(ordering: .relaxed) { condition.wait() }
            guard head < jobs.count else { return nil }
            defer {
                running += 1
                head += 1
                if head > 64, head * 2 > jobs.count {
                    jobs.removeSubrange(..<head)
                    head = 0
                }
            }
            return jobs[head]
        }
    }

    /// A job that was taken is over.
    func finished() {
        condition.withLock { running -= 1 }
    }

    /// Refuses what waits and whatever comes later. Workers end after the call that they are at.
    func close() {
        let left = condition.withLock {
            isClosed.store(true, ordering: .relaxed)
            defer {
                jobs.removeAll()
                head = 0
            }
            condition.broadcast()
            return jobs[head...]
        }
        for job in left { job.refuse(ScriptError(.stopped, "the script engine was stopped", owner: "script engine")) }
    }

    /// A worker's thread is about to end.
    func workerEnded() {
        let waiting = condition.withLock {
            workers -= 1
            guard workers == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { waitingForEnd.removeAll() }
            return waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until every worker's thread has ended its work.
    func end() async {
        await withCheckedContinuation { continuation in
            let isOver = condition.withLock {
                if workers > 0 { waitingForEnd.append(continuation) }
                return workers == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
