import Foundation
import Synchronization

/// The batches that wait for a worker, in the order in which they came, and how many workers there are for them.
///
/// `@unchecked Sendable`, because its workers are threads that wait for work with a time limit, which `NSCondition` can and `Mutex` cannot. Proof:
/// `isClosed` is atomic and the other `let`s are Sendable; every `var` is private, and is read and written within `condition.withLock` alone
/// (`refusal(of:owner:)` is called there); what is given out of it are values.
final class ScriptQueue: @unchecked Sendable {
    /// Set once, when the engine is stopped; workers look at it between calls.
    let isClosed = Atomic(false)

    private let condition = NSCondition()
    private let maximum: Int
    private let limit: Int
    private let idleTime: TimeInterval
    private var jobs: [ScriptJob] = []
    /// The jobs before this index are taken.
    private var head = 0
    private var nextID: UInt64 = 0
    /// IDs given out whose jobs have not come yet: a task may be cancelled before its job is here.
    private var reserved: Set<UInt64> = []
    /// Workers that take jobs.
    private var workers = 0
    /// Of these, the ones that are at a job. The others wait for one, or are about to look for one.
    private var running = 0
    /// Threads that have not let go of their JavaScript: the workers, and those that are on their way out.
    private var threads = 0
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []

    init(workers: Int, limits: ScriptLimits) {
        maximum = workers
        limit = limits.waitingLimit
        idleTime = max(0, limits.idleTime / .seconds(1))
    }

    var load: (waiting: Int, running: Int, workers: Int) { condition.withLock { (jobs.count - head, running, threads) } }

    /// An ID for a job.
    func reserve() -> UInt64 {
        condition.withLock {
            nextID += 1
            reserved.insert(nextID)
            return nextID
        }
    }

    /// Adds a job, or refuses it.
    /// - Returns: whether the caller has to start a worker, which counts as one already.
    func add(_ job: ScriptJob, owner: String) -> Bool {
        var refusal: (any Error)?
        let needsWorker = condition.withLock {
            refusal = self.refusal(of: job, owner: owner)
            if refusal != nil { return false }
            jobs.append(job)
            condition.signal()
            guard jobs.count - head > workers - running, workers < maximum else { return false }
            workers += 1
            threads += 1
            return true
        }
        if let refusal { job.refuse(refusal) }
        return needsWorker
    }

    /// Takes a job out that no worker has begun.
    func cancel(_ id: UInt64) {
        let job: ScriptJob? = condition.withLock {
            if reserved.remove(id) != nil { return nil }
            return jobs[head...].firstIndex { $0.id == id }.map { jobs.remove(at: $0) }
        }
        job?.refuse(CancellationError())
    }

    /// Waits for the next job, on a worker's thread; nil when the worker is to end, because the queue is closed or nothing came for long.
    func next() -> ScriptJob? {
        condition.withLock {
            var isLate = false
            while head == jobs.count, !isLate, !isClosed.load(ordering: .relaxed) {
                isLate = !condition.wait(until: Date(timeIntervalSinceNow: idleTime))
            }
            guard head < jobs.count else {
                workers -= 1
                return nil
            }
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

    /// A job that was taken is over: its worker is free for the next.
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

    /// A worker's thread has let go of its JavaScript and is about to end.
    func workerEnded() {
        let waiting = condition.withLock {
            threads -= 1
            guard threads == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { waitingForEnd.removeAll() }
            return waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until every worker's thread has ended its work.
    func end() async {
        await withCheckedContinuation { continuation in
            let isOver = condition.withLock {
                if threads > 0 { waitingForEnd.append(continuation) }
                return threads == 0
            }
            if isOver { continuation.resume() }
        }
    }

    private func refusal(of job: ScriptJob, owner: String) -> (any Error)? {
        guard reserved.remove(job.id) != nil else { return CancellationError() }
        if isClosed.load(ordering: .relaxed) { return ScriptError(.stopped, "the script engine was stopped", owner: owner) }
        guard jobs.count - head < limit else {
            return ScriptError(.busy, "\(limit) batches wait already; try again later", owner: owner)
        }
        return nil
    }
}
