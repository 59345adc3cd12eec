import Cutover

/// What a replication is doing, and how far it has come.
package struct ReplicationState: Hashable, Sendable {
    package enum Activity: String, CaseIterable, Hashable, Sendable {
        /// It was not started, has finished, was stopped, or met an error that does not pass.
        case stopped
        /// The other side cannot be reached, or cannot serve it for now. It is tried again.
        case offline
        case connecting
        /// It has caught up and waits for changes.
        case idle
        case busy
    }

    package var activity = Activity.stopped

    /// Why one direction of a pair has stopped while the other goes on; `nil` unless an error has stopped it.
    package var halfFailure: ReplicationFailure?

    /// The changes that have been dealt with since it was started, and those that are known of. The total grows while changes are being found.
    package var completed = 0
    package var total = 0

    /// The changes of which this side and the other side were asked whether they have them.
    package var checkedPulling = 0
    package var checkedPushing = 0

    /// The bytes that have been transferred; 0 where they are not counted.
    package var bytes = 0

    /// How often the server was restored from a backup, as far as that was found; for servers of 1.x.
    package var restorations = 0

    /// By what that was seen, in words; `nil` if it never was.
    package var restoration: String?

    /// The last error; it need not be fatal.
    package var failure: ReplicationFailure?

    package init() {}

    /// Whether all that there was to replicate has been replicated.
    package var isCaughtUp: Bool { activity == .idle && halfFailure == nil }

    /// What keeps it from replicating; `nil` while nothing does, or that is not known.
    package var holdUp: ReplicationFailure? {
        if let halfFailure { return halfFailure }
        return activity == .offline || activity == .stopped ? failure : nil
    }
}

extension ReplicationState {
    /// How far the replication is behind.
    ///
    /// - Parameters:
    ///   - caughtUp: How long ago it had last caught up; `nil` if it never has, or has now.
    ///   - holdUp: What has held it up since, also while it tries again.
    func lag(since caughtUp: Duration?, heldUpBy holdUp: ReplicationFailure? = nil) -> LagMeasurement {
        let holdUp = self.holdUp ?? holdUp
        if isCaughtUp { return .seconds(0) }
        if let halfFailure { return .unknown("it is stopped in one direction: \(halfFailure.message)") }
        if let caughtUp, activity != .stopped, holdUp == nil { return .seconds(caughtUp.components.seconds) }
        var reason = (holdUp ?? failure).map { ": \($0.message)" } ?? ""
        if holdUp?.status == 401 { reason += ". Give it a login in `auth` that the server takes" }
        let what =
            switch activity {
            case .stopped: "is stopped"
            case .offline: "waits, and will try again"
            case .connecting where holdUp != nil, .busy where holdUp != nil: "tries again"
            case .connecting: "is connecting"
            case .busy, .idle: "has not caught up yet"
            }
        return .unknown("it \(what)\(reason)")
    }
}
