import Cutover

/// The state and the progress of a replication.
package struct ReplicationState: Hashable, Sendable {
    package enum Activity: String, CaseIterable, Hashable, Sendable {
        /// Not started, finished, stopped, or ended by a permanent error.
        case stopped
        /// The other side cannot be reached or cannot serve for now. The replication retries.
        case offline
        case connecting
        /// Caught up; waits for changes.
        case idle
        case busy
    }

    package var activity = Activity.stopped

    /// The error that stopped one direction of a pair while the other continues; `nil` otherwise.
    package var halfFailure: ReplicationFailure?

    /// The processed and the known changes since the start. The total grows as changes are found.
    package var completed = 0
    package var total = 0

    /// The changes that this side (pulling) and the other side (pushing) were asked about.
    package var checkedPulling = 0
    package var checkedPushing = 0

    /// The transferred bytes; 0 where they are not counted.
    package var bytes = 0

    /// The number of detected restorations of the server from a backup. For 1.x servers.
    package var restorations = 0

    /// A description of the evidence for the last restoration; `nil` without one.
    package var restoration: String?

    /// The last error, which need not be fatal.
    package var failure: ReplicationFailure?

    package init() {}

    /// Whether everything has been replicated.
    package var isCaughtUp: Bool { activity == .idle && halfFailure == nil }

    /// The error that prevents replication; `nil` without one, or if it is not known.
    package var holdUp: ReplicationFailure? {
        if let halfFailure { return halfFailure }
        return activity == .offline || activity == .stopped ? failure : nil
    }
}

extension ReplicationState {
    /// The replication's lag.
    ///
    /// - Parameters:
    ///   - caughtUp: the time since it was last caught up; `nil` if it never was, or is at present.
    ///   - holdUp: the error that has held it up since then, also during a retry.
    func lag(since caughtUp: Duration?, heldUpBy holdUp: ReplicationFailure? = nil) -> LagMeasurement {
        let holdUp = self.holdUp ?? holdUp
        if isCaughtUp { return .seconds(0) }
        if let halfFailure { return .unknown("it is stopped in one direction: \(halfFailure.message)") }
        if let caughtUp, activity != .stopped, holdUp == nil { return .seconds(caughtUp.components.seconds) }
        var reason = (holdUp ?? failure).map { ": \($0.message)" } ?? ""
        if holdUp?.status == 401 { reason += ". Set a login in `auth` that the server accepts" }
        let what =
            switch activity {
            case .stopped: "is stopped"
            case .offline: "is offline, and will try again"
            case .connecting where holdUp != nil, .busy where holdUp != nil: "tries again"
            case .connecting: "is connecting"
            case .busy, .idle: "has not caught up yet"
            }
        return .unknown("it \(what)\(reason)")
    }
}
