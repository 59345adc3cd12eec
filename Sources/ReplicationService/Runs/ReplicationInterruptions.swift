import BridgeConfiguration
import Gateway

/// The interruptions of a replication since its run was created: for the log, which gets each once, and for metrics.
package struct ReplicationInterruptions: Sendable {
    /// An event for the log.
    enum Event: Hashable, Sendable {
        case heldUp(ReplicationFailure)
        case restored
    }

    /// The number of interruptions, by kind.
    package private(set) var counts: [ReplicationFailure.Kind: Int] = [:]

    /// The number of detected restorations of the server.
    package private(set) var restorations = 0

    /// The last error, resolved or not, and its time, in milliseconds since 1970.
    package private(set) var last: (failure: ReplicationFailure, time: Int64)?

    /// The error that holds it up, until it has caught up again. The replication's state does not have the error during a retry.
    package private(set) var holdUp: ReplicationFailure?

    /// Records a state of the replication.
    ///
    /// - Parameters:
    ///   - isWanted: whether the replication is meant to run. A stopped replication is not held up by its earlier errors.
    ///   - time: the current time, in milliseconds since 1970.
    mutating func record(_ state: ReplicationState, isWanted: Bool = true, time: Int64 = Timestamp.now) -> [Event] {
        var events: [Event] = []
        if let failure = state.holdUp ?? state.failure, failure != last?.failure || state.holdUp != nil && holdUp == nil {
            last = (failure, time)
        }
        if state.restorations > restorations { events.append(.restored) }
        restorations = state.restorations
        guard isWanted, let found = state.holdUp else {
            // A retry in progress does not resolve the error.
            if !isWanted || state.isCaughtUp || state.activity == .stopped { holdUp = nil }
            return events
        }
        let isKnown = holdUp?.kind == found.kind && holdUp?.status == found.status
        holdUp = found
        guard !isKnown else { return events }
        counts[found.kind, default: 0] += 1
        return events + [.heldUp(found)]
    }
}
