import Gateway
import Logging
import Synchronization

/// Carries a database's resync on in the background.
final class ResyncRunner: Sendable {
    /// Documents in one transaction.
    private static let batch = 500

    private let database: Database
    private let logger: Logger
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ database: Database, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    var isRunning: Bool { task.withLock { $0 != nil } }

    /// Goes on with a run, if none is going on here.
    func start(_ run: ResyncRun) {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                await carryOut(run)
                self.task.withLock { $0 = nil }
            }
        }
    }

    /// Goes on with the run that the last process left.
    func resume() async throws {
        guard let run = try await database.resyncRun(), run.state == .running else { return }
        logger.notice("a resync goes on where it stopped", metadata: ["documents": "\(run.processed)"])
        start(run)
    }

    /// Waits for the run that is going on here.
    func finished() async {
        await task.withLock { $0 }?.value
    }

    /// Ends the work here. The journal says that the run goes on: with the next process, or the next configuration.
    func rest() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    private func carryOut(_ start: ResyncRun) async {
        var run = start
        do {
            while run.state == .running {
                try Task.checkCancellation()
                run = try await database.resyncStep(run, limit: Self.batch)
            }
            logger.notice("a resync has ended", metadata: ["state": "\(run.state)", "documents": "\(run.processed)", "changed": "\(run.changed)"])
        } catch is CancellationError {
            logger.info("a resync rests", metadata: ["documents": "\(run.processed)"])
        } catch {
            logger.error("a resync has failed; POST _resync goes on with it", metadata: ["error": "\(error)"])
            try? await database.stopResync(because: error)
        }
    }
}
