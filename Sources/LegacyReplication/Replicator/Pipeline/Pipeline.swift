/// Several workers and one that gives them work, and that is held back while all have enough. The first that fails ends all.
enum Pipeline {
    /// - Parameters:
    ///   - workers: How many jobs are done at the same time.
    ///   - stop: Ends the work early: jobs that have been begun are done, others are not.
    ///   - produce: Gives work by the sink; when it returns there is no more.
    ///   - work: Does one job.
    static func run<Job: Sendable>(
        workers: Int, until stop: StopSignal, produce: @escaping @Sendable (JobSink<Job>) async throws -> Void,
        work: @escaping @Sendable (Job) async throws -> Void
    ) async throws {
        let (jobs, continuation) = AsyncStream.makeStream(of: Job.self)
        let sink = JobSink(continuation: continuation, room: workers * 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                do {
                    try await stop.interrupting { try await produce(sink) }
                } catch  where stop.isRaised {
                    return
                }
            }
            for _ in 0..<workers {
                group.addTask {
                    for await job in jobs {
                        try Task.checkCancellation()
                        guard !stop.isRaised else { return }
                        try await work(job)
                        await sink.done()
                    }
                }
            }
            // The group cancels the others when it is left by an error.
            while try await group.next() != nil {}
        }
    }
}
