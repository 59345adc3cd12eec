import Storage
import Tracing

/// The callers of one group: their jobs until they are committed or have failed.
struct WaitingGroup {
    private(set) var jobs: [Job<PostgreSQLTransaction>] = []
    private let queue: JobQueue<PostgreSQLTransaction>
    private let limit: Int
    private let deadline: ContinuousClock.Instant

    /// Whether the group has been run, so that it takes no more callers.
    private var isComplete = false

    /// - Parameters:
    ///   - queue: The waiting callers.
    ///   - limit: The maximum number of callers.
    ///   - deadline: The end of the time in which the group takes callers.
    init(_ queue: JobQueue<PostgreSQLTransaction>, limit: Int, deadline: ContinuousClock.Instant) {
        self.queue = queue
        self.limit = limit
        self.deadline = deadline
    }

    /// The contexts of the callers that are traced.
    var traces: [ServiceContext] { jobs.compactMap(\.trace) }

    /// Runs each caller's work. The first time, takes callers from the queue.
    ///
    /// - Parameter add: Runs a job, and returns whether it stays in the group. If not, its caller has received an error.
    mutating func run(_ add: (Job<PostgreSQLTransaction>) throws -> Bool) throws {
        defer { isComplete = true }
        var index = 0
        while true {
            if index == jobs.count {
                guard !isComplete, jobs.count < limit, index == 0 || ContinuousClock.now < deadline, let job = queue.take() else { return }
                jobs.append(job)
            }
            if try add(jobs[index]) { index += 1 } else { jobs.remove(at: index) }
        }
    }

    /// Passes an error to all callers; to those who wait in the queue, if the group has none yet.
    mutating func fail(_ error: any Error) {
        while jobs.count < limit, !isComplete, let job = queue.take() { jobs.append(job) }
        for job in jobs { job.fail(error) }
        jobs = []
    }
}
