import Coordination
import Gateway
import Logging

/// Persists the client visits of a database once a minute, so that a crash loses at most the last minute.
final class VisitWriter: Sendable {
    private static let interval = Duration.seconds(60)

    private let visits: Visits
    private let logger: Logger
    private let task = BackgroundTask()

    init(_ visits: Visits, logger: Logger) {
        self.visits = visits
        self.logger = logger
    }

    func start() {
        task.start { [self] in
            while (try? await suspend(for: Self.interval)) != nil { await write() }
        }
    }

    /// Stops, and writes the remaining visits.
    func stop() async {
        await task.stop()
        await write()
    }

    private func write() async {
        do {
            try await visits.flush()
        } catch {
            logger.error("the records of the fleet cannot be written now; the write is repeated", metadata: ["error": "\(error)"])
        }
    }
}
