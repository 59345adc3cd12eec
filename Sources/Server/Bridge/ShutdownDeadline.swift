import Foundation
import Logging
import ServiceLifecycle

/// Ends the process when it has not ended itself in time: supervisors kill after ten seconds, without a word in the log.
///
/// What was acknowledged is in the stores by then, and a store that was not closed is sound.
struct ShutdownDeadline: Service {
    /// Seconds from the signal.
    static let patience = 9.0

    let logger: Logger

    func run() async throws {
        try await gracefulShutdown()
        // A thread of its own: whatever hangs may have all others.
        Thread.detachNewThread { [logger] in
            Thread.sleep(forTimeInterval: Self.patience)
            logger.critical("work that was under way has not ended in time; the process ends without it")
            exit(1)
        }
        // The group waits for its services, and this one has nothing more to do.
    }
}
