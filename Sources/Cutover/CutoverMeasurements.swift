/// What was measured for the gates.
package struct CutoverMeasurements: Hashable, Sendable {
    /// When, in milliseconds since 1970.
    package var time: Int64

    /// The database's name, for commands that are named in messages.
    package var database = "DATABASE"

    /// The last comparison; `nil` if there was none at this stage.
    package var parity: ParityResult?
    package var scope = ScopeMeasurement.unknown("it was not asked")
    /// Whether documents of the old server come here.
    package var isPulling = true
    package var lag = LagMeasurement.unknown("it does not run")

    /// How many revisions are parked.
    package var parked = 0

    /// How many documents changed since the legacy upstream was let go whose older revisions are no longer kept.
    package var truncatedHistories = 0

    /// How many clients of 1.x were seen within the time that the limits name, or have a feed open.
    package var oldClients = 0

    /// How many feeds of 1.x clients are open.
    package var oldFeeds = 0

    package init(time: Int64) {
        self.time = time
    }
}

/// What the login of the replication sees at the legacy upstream.
package enum ScopeMeasurement: Hashable, Sendable {
    /// Every document.
    case everything

    /// The documents of these channels alone, as the configuration asks for.
    case chosen([String])

    /// The documents of these channels alone. Others stay on the old server, and no comparison by this login shows them.
    case channels([String])

    /// It could not be asked: why.
    case unknown(String)
}

/// How far the replication with the legacy upstream is behind.
package enum LagMeasurement: Hashable, Sendable {
    /// So many seconds ago it had last caught up in all its directions; 0 if it has now.
    case seconds(Int64)

    /// It has not caught up since it was started, or does not run: why, in a few words.
    case unknown(String)
}
