/// Several workers and one that gives them work, and that is held back while all have enough. The first that fails ends all.
enum Pipeline {
    /// - Parameters:
    ///   - workers: How many do jobs at the same time.
    ///   - batch: How many jobs one of them does together, at most.
    ///   - stop: Ends the work early: jobs that have been begun are done, others are not.
    ///   - produce: Gives work to the queue; when it returns there is no more.
    ///   - size: How many jobs are to be done together now, if fewer.
    ///   - work: Does jobs.
    static func run<Job: Sendable>(
        workers: Int, batch: Int, until stop: StopSignal, produce: @escaping @Sendable (JobQueue<Job>) async throws -> Void,
        size: (@Sendable () async -> Int)? = nil, work: @escaping @Sendable ([Job]) async throws -> Void
    ) async throws {
        let queue = JobQueue<Job>(room: workers * batch)
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await stop.interrupting { try await produce(queue) }
                    } catch  where stop.isRaised {
                        // What has been begun is done all the same.
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
                    // The group cancels the others when it is left by an error; they must not wait for each other then.
                    await queue.abandon()
                    throw error
                }
            }
        } onCancel: {
            Task { await queue.abandon() }
        }
    }
}

/// Jobs that wait for workers. Who adds some is held back while enough are waiting; who takes gets as many as there are, up to a number:
/// few while workers have nothing else to do, and many when all are busy.
actor JobQueue<Job: Sendable> {
    private let room: Int
    private var waiting: ArraySlice<Job> = []
    private var isFinished = false
    private var adder: CheckedContinuation<Void, Never>?
    private var takers: [CheckedContinuation<Void, Never>] = []

    /// - Parameter room: Jobs that may wait; those that are added together may go beyond it.
    init(room: Int) {
        self.room = room
    }

    /// Adds jobs, in order, when there is room. For one task at a time.
    ///
    /// - Throws: `CancellationError`, also once the queue has been finished.
    func add(_ jobs: [Job]) async throws {
        while waiting.count >= room, !isFinished, !Task.isCancelled {
            await withTaskCancellationHandler {
                await withCheckedContinuation { adder = $0 }
            } onCancel: {
                Task { await self.wakeAdder() }
            }
        }
        guard !isFinished, !Task.isCancelled else { throw CancellationError() }
        waiting += jobs
        wakeTaker()
    }

    /// The next jobs; `nil` when the queue has been finished and there are no more.
    func take(upTo count: Int) async -> [Job]? {
        while waiting.isEmpty, !isFinished { await withCheckedContinuation { takers.append($0) } }
        guard !waiting.isEmpty else { return nil }
        let jobs = Array(waiting.prefix(count))
        waiting.removeFirst(jobs.count)
        // Others may take what is left.
        if !waiting.isEmpty { wakeTaker() }
        wakeAdder()
        return jobs
    }

    /// Nothing more is added.
    func finish() {
        isFinished = true
        wakeAdder()
        for taker in takers { taker.resume() }
        takers = []
    }

    /// Nothing more is added, and what waits is not done.
    func abandon() {
        waiting = []
        finish()
    }

    private func wakeAdder() {
        adder?.resume()
        adder = nil
    }

    private func wakeTaker() {
        guard !takers.isEmpty else { return }
        takers.removeFirst().resume()
    }
}
