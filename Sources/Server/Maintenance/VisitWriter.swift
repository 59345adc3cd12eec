import Gateway
import Logging
import Synchronization

/// Persists the client visits of a database once a minute, so that a crash loses at most the last minute.
final class VisitWriter: Sendable {
    private static let interval = Duration.seconds(60)

    private let visits: Visits
    private let logger: Logger
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ visits: Visits, logger: Logger) {
        self.visits = visits
        self.logger = logger
    }

    func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                while (try? await Task.sleep(for: Self.interval)) != nil { await write() }
            }
        }
    }

    /// Stops, and writes the remaining visits.
    func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
        await write()
    }

    private func write() async {
        do {
            try await visits.flush()
        } catch {
            logger.error("who uses the database cannot be written now; it is tried again", metadata: ["error": "\(error)"])
        }
    }
}
