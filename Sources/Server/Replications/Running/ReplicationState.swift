import Cutover

/// What a replication is doing, and how far it has come.
public struct ReplicationState: Hashable, Sendable {
    public enum Activity: String, Hashable, Sendable {
        /// It was not started, has finished, was stopped, or met an error that does not pass.
        case stopped
        /// The other side cannot be reached, or cannot serve it for now. It is tried again.
        case offline
        case connecting
        /// It has caught up and waits for changes.
        case idle
        case busy
    }

    public var activity = Activity.stopped

    /// Why one direction of a pair has stopped while the other goes on; `nil` unless an error has stopped it.
    public var halfFailure: ReplicationFailure?

    /// The changes that have been dealt with since it was started, and those that are known of. The total grows while changes are being found.
    public var completed = 0
    public var total = 0

    /// The changes of which this side and the other side were asked whether they have them.
    public var checkedPulling = 0
    public var checkedPushing = 0

    /// The bytes that have been transferred; 0 where they are not counted.
    public var bytes = 0

    /// The last error; it need not be fatal.
    public var failure: ReplicationFailure?

    public init() {}

    /// Whether all that there was to replicate has been replicated.
    public var isCaughtUp: Bool { activity == .idle && halfFailure == nil }
}

extension ReplicationState {
    /// How far the replication is behind.
    ///
    /// - Parameter caughtUp: How long ago it had last caught up; `nil` if it never has, or has now.
    func lag(since caughtUp: Duration?) -> LagMeasurement {
        if isCaughtUp { return .seconds(0) }
        if let halfFailure { return .unknown("it is stopped in one direction: \(halfFailure.message)") }
        if let caughtUp, activity != .stopped { return .seconds(caughtUp.components.seconds) }
        let reason = failure.map { ": \($0.message)" } ?? ""
        let what =
            switch activity {
            case .stopped: "is stopped"
            case .offline: "waits, and will try again"
            case .connecting: "is connecting"
            case .busy, .idle: "has not caught up yet"
            }
        return .unknown("it \(what)\(reason)")
    }
}
