import Coordination
import Foundation
import Synchronization

/// The waiting batches and the workers that run them.
///
/// A database without a running batch gets a worker after a short delay, even beyond the maximum number of workers, so that functions of another
/// database do not delay it for long.
///
/// `@unchecked Sendable`, because the workers are threads that wait with a timeout, which `NSCondition` supports and `Lock` does not. Proof:
/// `isClosed` is atomic and the other `let`s are Sendable; every `var` is private, and is only accessed within `condition.withLock`
/// (`refusal(of:owner:)` is called there); the queue returns values only.
final class ScriptQueue: @unchecked Sendable {
    /// Set once, when the engine is stopped; workers check it between calls.
    let isClosed = Atomic(false)

    private let condition = NSCondition()
    private let maximum: Int
    private let limit: Int
    private let idleTime: TimeInterval
    private var jobs = FairJobQueue()
    private var nextID: UInt64 = 0
    /// Reserved IDs whose jobs have not been added yet: a task may be cancelled before it adds its job.
    private var reserved: Set<UInt64> = []
    /// Number of workers that accept jobs.
    private var workers = 0
    /// Number of these workers that run a job.
    private var running = 0
    /// The threads that hold JavaScript: the workers, and threads that are about to end.
    private let threads = WaitGroup()

    /// Largest number of workers beyond the maximum.
    private static let extra = 16

    init(workers: Int, limits: ScriptLimits) {
        maximum = workers
        limit = limits.waitingLimit
        idleTime = max(0, limits.idleTime / .seconds(1))
    }

    var load: (waiting: Int, running: Int, workers: Int) { condition.withLock { (jobs.count, running, threads.count) } }

    /// Reserves an ID for a job.
    func reserve() -> UInt64 {
        condition.withLock {
            nextID += 1
            reserved.insert(nextID)
            return nextID
        }
    }

    /// What the caller has to do after adding a job.
    enum StartAction {
        case nothing
        /// Start a worker, which is already counted.
        case worker
        /// Call ``claimsExtraWorker(for:)`` after a delay.
        case delayedWorker(share: String)
    }

    /// Adds a job, or fails it.
    func add(_ job: ScriptJob, owner: String) -> StartAction {
        var refusal: (any Error)?
        let action: StartAction = condition.withLock {
            refusal = self.refusal(of: job, owner: owner)
            if refusal != nil { return .nothing }
            let share = FairJobQueue.share(of: owner)
            let wasStarved = jobs.isStarved(share)
            jobs.add(job, to: share)
            condition.signal()
            guard jobs.count > workers - running else { return .nothing }
            guard workers < maximum else { return jobs.isStarved(share) && !wasStarved ? .delayedWorker(share: share) : .nothing }
            workers += 1
            threads.enter()
            return .worker
        }
        if let refusal { job.refuse(refusal) }
        return action
    }

    /// Claims an extra worker for a database that still has none while others have all. If `true`, the caller has to start the worker, which is
    /// already counted.
    func claimsExtraWorker(for share: String) -> Bool {
        condition.withLock {
            guard jobs.isStarved(share), workers >= maximum, workers < maximum + Self.extra, !isClosed.load(ordering: .relaxed) else {
                return false
            }
            workers += 1
            threads.enter()
            return true
        }
    }

    /// Removes and cancels a job that no worker has started.
    func cancel(_ id: UInt64) {
        let job: ScriptJob? = condition.withLock {
            if reserved.remove(id) != nil { return nil }
            return jobs.remove(id)
        }
        job?.refuse(CancellationError())
    }

    /// Waits for the next job, on a worker's thread. `nil` if the worker has to end: the queue is closed, no job arrived within the idle time, or
    /// an extra worker is no longer needed.
    func next() -> (job: ScriptJob, share: String)? {
        condition.withLock {
            var isLate = false
            while jobs.count == 0, workers <= maximum, !isLate, !isClosed.load(ordering: .relaxed) {
                isLate = !condition.wait(until: Date(timeIntervalSinceNow: idleTime))
            }
            guard workers <= maximum || jobs.hasStarved, let next = jobs.dequeue() else {
                workers -= 1
                return nil
            }
            running += 1
            return next
        }
    }

    /// Records that a job has finished and its worker is free.
    func finished(_ share: String) {
        condition.withLock {
            running -= 1
            jobs.finish(share)
        }
    }

    /// Fails all waiting and later jobs. Workers end after their current call.
    func close() {
        let left = condition.withLock {
            isClosed.store(true, ordering: .relaxed)
            condition.broadcast()
            return jobs.removeAll()
        }
        for job in left { job.refuse(ScriptError(.stopped, "the script engine was stopped", owner: "script engine")) }
    }

    /// Records that a worker's thread has released its JavaScript and is about to end.
    func workerEnded() {
        threads.leave()
    }

    /// Waits until every worker's thread has released its JavaScript.
    func end() async {
        await threads.wait()
    }

    private func refusal(of job: ScriptJob, owner: String) -> (any Error)? {
        guard reserved.remove(job.id) != nil else { return CancellationError() }
        if isClosed.load(ordering: .relaxed) { return ScriptError(.stopped, "the script engine was stopped", owner: owner) }
        guard jobs.count < limit else {
            return ScriptError(.busy, "\(limit) batches wait already; try again later", owner: owner)
        }
        return nil
    }
}
