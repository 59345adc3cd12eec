import Coordination

/// Runs tasks only in ``run()``, on the caller's thread, so that a test knows when all of them wait.
final class StepExecutor: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs all tasks until each has ended or waits.
    func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Starts a task, and runs all tasks until each has ended or waits.
    @discardableResult
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let task = Task(executorPreference: self) { await work() }
        run()
        return task
    }

    /// Starts a task like ``start(_:)``. The log gets the name when the work has ended, or the error.
    @discardableResult
    func start(_ name: String, in log: Log, _ work: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        start {
            do {
                try await work()
                log.add(name)
            } catch {
                log.add("\(name): \(error)")
            }
        }
    }

    /// Cancels a task, and runs all tasks until each has ended or waits.
    func cancel(_ task: Task<Void, Never>) {
        task.cancel()
        run()
    }
}

/// Events in the order in which they happened.
final class Log: Sendable {
    private let lines = Lock<[String]>([])

    var entries: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A number that several tasks change.
final class Count: Sendable {
    private let number = Lock(0)

    var value: Int { number.withLock { $0 } }

    /// - Returns: The new value.
    @discardableResult
    func add(_ difference: Int) -> Int {
        number.withLock { number in
            number += difference
            return number
        }
    }
}
