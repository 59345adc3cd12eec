import Coordination

/// A producer and several workers connected by a bounded queue. The first error ends all of them.
enum Pipeline {
    /// - Parameters:
    ///   - workers: The number of concurrent workers.
    ///   - batch: The maximum number of jobs per call of `work`.
    ///   - stop: Ends the work early: started jobs are finished, others are dropped.
    ///   - produce: Adds jobs to the queue; returns when there are no more.
    ///   - size: The current number of jobs per call, if lower than `batch`.
    ///   - work: Runs jobs.
    static func run<Job: Sendable>(
        workers: Int, batch: Int, until stop: StopSignal, produce: @escaping @Sendable (PipelineQueue<Job>) async throws -> Void,
        size: (@Sendable () async -> Int)? = nil, work: @escaping @Sendable ([Job]) async throws -> Void
    ) async throws {
        let queue = PipelineQueue<Job>(room: workers * batch)
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await stop.interrupting { try await produce(queue) }
                    } catch  where stop.isRaised {
                        // Started jobs are finished nevertheless.
                    }
                    await queue.finish()
                }
                for _ in 0..<workers {
                    group.addTask {
                        while let jobs = await queue.take(upTo: min(batch, size?() ?? batch)) {
                            try Task.checkCancellation()
                            guard !stop.isRaised else { return }
                            try await work(jobs)
                        }
                    }
                }
                do {
                    while try await group.next() != nil {}
                } catch {
                    // When the group rethrows, it cancels the other tasks; without this they could wait for each other.
                    await queue.abandon()
                    throw error
                }
            }
        } onCancel: {
            Task { await queue.abandon() }
        }
    }
}

/// A bounded queue of jobs. Adding waits while the queue is full. Taking returns all available jobs up to a limit: few while workers are idle,
/// many while all are busy.
actor PipelineQueue<Job: Sendable> {
    private let room: Int
    private var waiting: ArraySlice<Job> = []
    private var isFinished = false
    private let hasRoom = Condition()
    private let hasJobs = Condition()

    /// - Parameter room: The number of jobs at which adding waits; a single call of ``add(_:)`` may exceed it.
    init(room: Int) {
        self.room = room
    }

    /// Adds jobs in order when the queue has room. One task at a time may call this.
    ///
    /// - Throws: `CancellationError`, also once the queue has been finished.
    func add(_ jobs: [Job]) async throws {
        while waiting.count >= room, !isFinished, !Task.isCancelled {
            await withTaskCancellationHandler {
                await hasRoom.wait()
            } onCancel: {
                Task { await self.notifyAdder() }
            }
        }
        guard !isFinished, !Task.isCancelled else { throw CancellationError() }
        waiting += jobs
        hasJobs.notifyOne()
    }

    /// The next jobs; `nil` if the queue is finished and empty.
    func take(upTo count: Int) async -> [Job]? {
        while waiting.isEmpty, !isFinished { await hasJobs.wait() }
        guard !waiting.isEmpty else { return nil }
        let jobs = Array(waiting.prefix(count))
        waiting.removeFirst(jobs.count)
        // Other workers may take the remaining jobs.
        if !waiting.isEmpty { hasJobs.notifyOne() }
        hasRoom.notifyAll()
        return jobs
    }

    /// Ends the queue; no jobs may be added afterwards.
    func finish() {
        isFinished = true
        hasRoom.notifyAll()
        hasJobs.notifyAll()
    }

    /// Ends the queue and drops the waiting jobs.
    func abandon() {
        waiting = []
        finish()
    }

    private func notifyAdder() {
        hasRoom.notifyAll()
    }
}
