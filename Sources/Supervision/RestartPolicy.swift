import Foundation

/// Decides whether and when a process that has ended is restarted.
///
/// The supervisor ends with the process in these cases:
/// - The supervisor was asked to stop.
/// - The process ended by SIGTERM or SIGINT, or with exit code 0.
/// - The process exited with an error before any process has served. It has printed the error for the person who started it.
///
/// Otherwise the process is restarted:
/// - At once if it had served. After more than thirty such restarts within a minute, the next one is delayed by a second. Clients wait at the
///   sockets meanwhile.
/// - After a delay if it ended before it served or could not be started. The delay doubles up to thirty seconds.
struct RestartPolicy {
    enum Decision: Hashable {
        case restart(after: Double)
        /// The supervisor ends with this exit code.
        case end(code: Int32)
    }

    /// In seconds.
    private static let (shortest, longest, window, pause) = (0.5, 30.0, 60.0, 1.0)
    private static let mostAtOnce = 30

    /// The times within the last minute at which processes that had served ended.
    private var recent: [Double] = []

    /// Whether any process has served.
    private var hasServed = false

    /// The number of delayed restarts since the last process that had served.
    private var waits = 0

    /// - Parameters:
    ///   - served: whether the process had served.
    ///   - isStopping: whether the supervisor was asked to stop.
    ///   - now: the seconds of a monotonic clock.
    mutating func decide(_ ending: Ending, served: Bool, isStopping: Bool, now: Double) -> Decision {
        hasServed = hasServed || served
        guard !isStopping, allowsRestart(after: ending) else { return .end(code: ending.exitCode) }
        recent.removeAll { now - $0 > Self.window }
        if served {
            recent.append(now)
            waits = 0
            return .restart(after: recent.count <= Self.mostAtOnce ? 0 : Self.pause)
        }
        let wait = min(Self.longest, Self.shortest * pow(2, Double(min(waits, 10))))
        waits += 1
        return .restart(after: wait)
    }

    private func allowsRestart(after ending: Ending) -> Bool {
        switch ending {
        case .exited(let code): code != 0 && hasServed
        case .signalled(let signal): signal != SIGTERM && signal != SIGINT
        case .unstarted: true
        }
    }
}
