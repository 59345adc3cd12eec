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
