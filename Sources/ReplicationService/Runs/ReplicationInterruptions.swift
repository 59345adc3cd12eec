import BridgeConfiguration

/// What has held a replication up since the bridge began to run it: for the log, which is told once of each, and for metrics.
package struct ReplicationInterruptions: Sendable {
    /// What is to be said in the log.
    enum News: Hashable, Sendable {
        case heldUp(ReplicationFailure)
        case restored
    }

    /// How often something held it up, by its kind.
    package private(set) var counts: [ReplicationFailure.Kind: Int] = [:]

    /// How often the server was found restored.
    package private(set) var restorations = 0

    /// The last error, overcome or not, and when it was met, in milliseconds since 1970.
    package private(set) var last: (failure: ReplicationFailure, time: Int64)?

    /// What holds it up, until it has caught up again; between two attempts its state does not tell.
    package private(set) var holdUp: ReplicationFailure?

    /// Takes in what the replication says of itself.
    ///
    /// - Parameters:
    ///   - isWanted: Whether it is to run. Who was told to stop is not held up by what it had met.
    ///   - time: Now, in milliseconds since 1970.
    mutating func take(_ state: ReplicationState, isWanted: Bool = true, time: Int64 = Timestamp.now) -> [News] {
        var news: [News] = []
        if let failure = state.holdUp ?? state.failure, failure != last?.failure || state.holdUp != nil && holdUp == nil {
            last = (failure, time)
        }
        if state.restorations > restorations { news.append(.restored) }
        restorations = state.restorations
        guard isWanted, let found = state.holdUp else {
            // While it tries again nothing has been overcome.
            if !isWanted || state.isCaughtUp || state.activity == .stopped { holdUp = nil }
            return news
        }
        let isKnown = holdUp?.kind == found.kind && holdUp?.status == found.status
        holdUp = found
        guard !isKnown else { return news }
        counts[found.kind, default: 0] += 1
        return news + [.heldUp(found)]
    }
}
