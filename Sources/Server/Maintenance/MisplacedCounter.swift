import Coordination
import Gateway
import Logging

/// After a change of the routes, counts in the background the documents that belong in another collection.
final class MisplacedCounter: Sendable {
    /// The number of documents in one transaction.
    private static let batch = 500

    private let database: Database
    private let logger: Logger
    private let task = BackgroundTask()

    init(_ database: Database, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    func start() {
        task.start { [self] in await run() }
    }

    /// Waits until the count is complete.
    func finished() async {
        await task.finished()
    }

    /// Cancels the work. The journal in the store has the progress.
    func stop() async {
        await task.stop()
    }

    private func run() async {
        do {
            while try await database.countMisplaced(limit: Self.batch) { try Task.checkCancellation() }
        } catch is CancellationError {
            return
        } catch {
            logger.error(
                "misplaced documents cannot be counted with the new routes; the next start counts them", metadata: ["error": "\(error)"])
        }
    }
}
