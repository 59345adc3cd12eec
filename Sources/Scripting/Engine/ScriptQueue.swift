import Foundation
import Synchronization

/// The batches that wait for a worker, and how many workers there are for them.
///
/// A database that has none running gets a worker after a moment, beyond the most if there has to be one: what another's function does makes nobody wait
/// for long.
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
    private var line = FairJobQueue()
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

    /// Workers beyond the most, at a time.
    private static let extra = 16

    init(workers: Int, limits: ScriptLimits) {
        maximum = workers
        limit = limits.waitingLimit
        idleTime = max(0, limits.idleTime / .seconds(1))
    }

    var load: (waiting: Int, running: Int, workers: Int) { condition.withLock { (line.count, running, threads) } }

    /// An ID for a job.
    func reserve() -> UInt64 {
        condition.withLock {
            nextID += 1
            reserved.insert(nextID)
            return nextID
        }
    }

    /// What the caller has to do for a job that was added.
    enum Wish {
        case nothing
        /// Start a worker, which counts as one already.
        case worker
        /// Ask for one more after a moment, by ``needsMore(for:)``.
        case patience(share: String)
    }

    /// Adds a job, or refuses it.
    func add(_ job: ScriptJob, owner: String) -> Wish {
        var refusal: (any Error)?
        let wish: Wish = condition.withLock {
            refusal = self.refusal(of: job, owner: owner)
            if refusal != nil { return .nothing }
            let share = FairJobQueue.share(of: owner)
            let wasStarved = line.isStarved(share)
            line.add(job, to: share)
            condition.signal()
            guard line.count > workers - running else { return .nothing }
            guard workers < maximum else { return line.isStarved(share) && !wasStarved ? .patience(share: share) : .nothing }
            workers += 1
            threads += 1
            return .worker
        }
        if let refusal { job.refuse(refusal) }
        return wish
    }

    /// Whether a database still waits for its first worker, while others have all. The caller starts one then, which counts already.
    func claimsExtraWorker(for share: String) -> Bool {
        condition.withLock {
            guard line.isStarved(share), workers >= maximum, workers < maximum + Self.extra, !isClosed.load(ordering: .relaxed) else {
                return false
            }
            workers += 1
            threads += 1
            return true
        }
    }

    /// Takes a job out that no worker has begun.
    func cancel(_ id: UInt64) {
        let job: ScriptJob? = condition.withLock {
            if reserved.remove(id) != nil { return nil }
            return line.remove(id)
        }
        job?.refuse(CancellationError())
    }

    /// Waits for the next job, on a worker's thread; nil when the worker is to end, because the queue is closed, nothing came for long, or it was one
    /// beyond the most and is needed no more.
    func next() -> (job: ScriptJob, share: String)? {
        condition.withLock {
            var isLate = false
            while line.count == 0, workers <= maximum, !isLate, !isClosed.load(ordering: .relaxed) {
                isLate = !condition.wait(until: Date(timeIntervalSinceNow: idleTime))
            }
            guard workers <= maximum || line.hasStarved, let next = line.take() else {
                workers -= 1
                return nil
            }
            running += 1
            return next
        }
    }

    /// A job that was taken is over: its worker is free for the next.
    func finished(_ share: String) {
        condition.withLock {
            running -= 1
            line.finish(share)
        }
    }

    /// Refuses what waits and whatever comes later. Workers end after the call that they are at.
    func close() {
        let left = condition.withLock {
            isClosed.store(true, ordering: .relaxed)
            condition.broadcast()
            return line.removeAll()
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
        guard line.count < limit else {
            return ScriptError(.busy, "\(limit) batches wait already; try again later", owner: owner)
        }
        return nil
    }
}
