import Coordination
import Foundation
import HTTPListener
import Logging
import Supervision
import UnixSignals

extension Bridge {
    /// Ends ``serve(ready:)``: accepts no more requests, ends feeds and stops replications.
    ///
    /// All parts stop concurrently, because each may need most of the time up to the ``ShutdownDeadline``.
    package func stop() async throws {
        databases.stopping.raise()
        async let publicEnd: Void = publicServer.shutdown()
        async let adminEnd: Void = adminServer.shutdown()
        await databases.stopReplicating()
        _ = try await (publicEnd, adminEnd)
    }

    /// Serves on for the drain time: the bridge is not ready, so that load balancers send new requests to other bridges, and these take over the
    /// work that must run once.
    ///
    /// - Parameter hurry: ends the time.
    private func drain(until hurry: StopSignal) async {
        let time = drainTime
        guard time > .zero else { return }
        logger.notice("stopping; clients are served for the drain time", metadata: ["time": "\(time.components.seconds) s"])
        databases.supervisor.drain(seconds: Int(time.components.seconds))
        databases.resign()
        try? await hurry.interrupting { try await suspend(for: time) }
    }

    private var drainTime: Duration { file.withLock(\.drainTime) }

    /// Drains and stops at the first signal. The next one ends the drain time.
    func end(at signals: UnixSignalsSequence) async {
        let hurry = StopSignal()
        var isEnding = false
        for await _ in signals {
            guard !isEnding else {
                hurry.raise()
                continue
            }
            isEnding = true
            ShutdownDeadline.begin(after: drainTime, logger: logger)
            Task {
                await drain(until: hurry)
                // The earlier deadline counts.
                ShutdownDeadline.begin(logger: logger)
                try await stop()
            }
        }
    }
}

/// Ends the process if it does not stop in time. Supervisors kill a process after ten seconds, without a log entry.
///
/// All acknowledged writes are in the stores by then, and a store that was not closed stays consistent.
enum ShutdownDeadline {
    /// Seconds from the end of the drain time.
    static let timeout = 9.0

    /// - Parameter drain: The drain time.
    static func begin(after drain: Duration = .zero, logger: Logger) {
        // Uses a thread of its own, because hung work may block all others.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: Double(drain.components.seconds) + timeout)
            logger.critical("some work did not finish in time; the process ends without waiting for it")
            exit(1)
        }
    }
}
