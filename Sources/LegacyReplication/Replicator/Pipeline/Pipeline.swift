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
