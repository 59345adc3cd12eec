import Foundation

/// Decides whether, and when, a process that has ended is started again.
///
/// Once a process has served, only a request to stop ends the supervisor. Before that an exit does, too: the program has said what is wrong,
/// to a person who waits for it to serve.
///
/// A process that served is back at once, and after a second where that happens more than thirty times within a
/// minute: clients wait at its sockets meanwhile. One that ends before it serves, or cannot be started, is started after a wait that doubles up to thirty seconds.
struct RestartPolicy {
    enum Decision: Hashable {
        case restart(after: Double)
        /// The supervisor ends, too, with this exit code.
        case end(code: Int32)
    }

    /// Seconds.
    private static let (shortest, longest, window, pause) = (0.5, 30.0, 60.0, 1.0)
    private static let mostAtOnce = 30

    /// When processes that had served ended, within the last minute.
    private var recent: [Double] = []

    /// Whether any process has served.
    private var hasServed = false

    /// How often the process had to wait since it was last back at once.
    private var waits = 0

    /// - Parameters:
    ///   - served: whether the process had begun to serve.
    ///   - isStopping: whether the supervisor has been told to stop.
    ///   - now: seconds of a clock that only goes forward.
    mutating func decide(_ ending: Ending, served: Bool, isStopping: Bool, now: Double) -> Decision {
        hasServed = hasServed || served
        guard !isStopping, isFollowed(ending) else { return .end(code: ending.exitCode) }
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

    private func isFollowed(_ ending: Ending) -> Bool {
        switch ending {
        case .exited(let code): code != 0 && hasServed
        case .signalled(let signal): signal != SIGTERM && signal != SIGINT
        case .unstarted: true
        }
    }
}
