import Gateway
import Logging
import Synchronization

/// Counts in the background which documents the routes want elsewhere, where the routes have changed.
final class MisplacedCounter: Sendable {
    /// Documents in one transaction.
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

    /// Waits for the count.
    func finished() async {
        await task.withLock { $0 }?.value
    }

    /// Ends the work here. The journal says how far it has come.
    func rest() async {
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
