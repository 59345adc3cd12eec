import Foundation
import Logging
import ServiceLifecycle

/// The bridge as a service of the service group, which stops it at a signal.
///
/// Both ports are one service, because the group ends its services one after the other.
struct Serving: Service {
    let bridge: Bridge

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await bridge.servePorts()
        } onGracefulShutdown: { [bridge] in
            ShutdownDeadline.begin(logger: bridge.logger)
            Task { try await bridge.stop() }
        }
    }
}

/// Ends the process when it has not ended itself in time: supervisors kill after ten seconds, without a word in the log.
///
/// What was acknowledged is in the stores by then, and a store that was not closed is sound.
enum ShutdownDeadline {
    /// Seconds from the signal.
    static let patience = 9.0

    static func begin(logger: Logger) {
        // A thread of its own: whatever hangs may have all others.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: patience)
            logger.critical("work that was under way has not ended in time; the process ends without it")
            exit(1)
        }
    }
}
