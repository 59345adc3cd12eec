import Gateway
import Logging
import Synchronization

/// After a change of the routes, counts in the background the documents that belong in another collection.
final class MisplacedCounter: Sendable {
    /// The number of documents in one transaction.
    private static let batch = 500

    private let database: Database
    private let logger: Logger
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ database: Database, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                await run()
                self.task.withLock { $0 = nil }
            }
        }
    }

    /// Waits until the count is complete.
    func finished() async {
        await task.withLock { $0 }?.value
    }

    /// Cancels the work. The journal in the store has the progress.
    func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    private func run() async {
        do {
            while try await database.countMisplaced(limit: Self.batch) { try Task.checkCancellation() }
        } catch is CancellationError {
            return
        } catch {
            logger.error(
                "misplaced documents cannot be counted by the new routes; the next start tries again", metadata: ["error": "\(error)"])
        }
    }
}
