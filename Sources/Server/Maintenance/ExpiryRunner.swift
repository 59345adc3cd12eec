import Authentication
import Coordination
import Gateway
import Logging

/// Deletes or purges a database's documents when they expire.
final class ExpiryRunner: Sendable {
    /// The longest sleep, in milliseconds: other processes may write documents with an expiry, and the clock may be set.
    private static let longestSleep: Int64 = 60_000

    private let database: Database
    private let clock: AccessClock
    private let sleep: @Sendable (Int64) async -> Void
    private let logger: Logger
    private let task = BackgroundTask()

    /// - Parameter sleep: sleeps until a time of the clock, or until cancelled.
    init(
        _ database: Database, logger: Logger, clock: AccessClock = .system, sleep: (@Sendable (Int64) async -> Void)? = nil
    ) {
        self.database = database
        self.clock = clock
        self.logger = logger
        self.sleep = sleep ?? { time in try? await suspend(for: .milliseconds(max(0, time - clock.now()))) }
    }

    func start() {
        task.start { [self] in await run() }
    }

    /// Cancels the runner and waits for its last step.
    func stop() async {
        await task.stop()
    }

    private func run() async {
        while !Task.isCancelled {
            let now = clock.now()
            var wake = now + Self.longestSleep
            do {
                let sweep = try await database.expireDocuments(at: now)
                if sweep.deleted + sweep.purged > 0 {
                    logger.info("documents have expired", metadata: ["deleted": "\(sweep.deleted)", "purged": "\(sweep.purged)"])
                }
                if sweep.isFull { continue }
                if let next = sweep.next { wake = min(wake, next) }
            } catch is CancellationError {
                return
            } catch {
                logger.error("expired documents cannot be removed now; the removal is tried again", metadata: ["error": "\(error)"])
            }
            await database.expiryTimer.wait(until: wake, sleep)
        }
    }
}
