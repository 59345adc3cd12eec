/// Where jobs go. Whoever adds one waits while too many are under way.
actor JobSink<Job: Sendable> {
    private let continuation: AsyncStream<Job>.Continuation
    private var room: Int
    private var waiter: CheckedContinuation<Void, Never>?

    init(continuation: AsyncStream<Job>.Continuation, room: Int) {
        self.continuation = continuation
        self.room = room
    }

    /// Adds a job. For one task at a time.
    ///
    /// - Throws: `CancellationError`.
    func add(_ job: Job) async throws {
        while room == 0, !Task.isCancelled {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter = $0 }
            } onCancel: {
                Task { await self.wake() }
            }
        }
        try Task.checkCancellation()
        room -= 1
        continuation.yield(job)
    }

    /// A job has been done.
    func done() {
        room += 1
        wake()
    }

    private func wake() {
        waiter?.resume()
        waiter = nil
    }
}
