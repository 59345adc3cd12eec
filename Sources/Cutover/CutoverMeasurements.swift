/// The measurements that the gates evaluate.
package struct CutoverMeasurements: Hashable, Sendable {
    /// Time of the measurement, in milliseconds since 1970.
    package var time: Int64

    /// The database's name, for the commands that gate messages suggest.
    package var database = "DATABASE"

    /// Result of the last parity check; `nil` if this stage has none yet.
    package var parity: ParityResult?
    package var scope = ScopeMeasurement.unknown("it was not queried")
    /// Whether the replication pulls from the legacy upstream.
    package var isPulling = true
    package var lag = LagMeasurement.unknown("it is not running")

    /// Number of parked revisions.
    package var parked = 0

    /// Number of documents that changed since the legacy upstream was detached and whose older revisions have since been pruned.
    package var truncatedHistories = 0

    /// Number of 1.x clients that were active within ``GateLimits/oldClientsQuietFor``, or that have an open feed.
    package var oldClients = 0

    /// Number of open feeds of 1.x clients.
    package var oldFeeds = 0

    package init(time: Int64) {
        self.time = time
    }
}

/// Which documents of the legacy upstream the replication's login can read.
package enum ScopeMeasurement: Hashable, Sendable {
    /// Every document.
    case everything

    /// Only documents of these channels, as configured.
    case chosen([String])

    /// Only documents of these channels. Other documents stay on the old server, and a comparison with this login does not find them.
    case channels([String])

    /// The upstream could not be queried; the value is the reason.
    case unknown(String)
}

/// How far the replication with the legacy upstream lags behind.
package enum LagMeasurement: Hashable, Sendable {
    /// Seconds since all directions had last caught up; 0 if they are caught up.
    case seconds(Int64)

    /// The replication has not caught up since its start, or it does not run; the value is a short reason.
    case unknown(String)
}
