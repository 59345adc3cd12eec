/// The schedule of troubles: one at a time, in an order derived from the seed, with calm periods between them.
struct TroubleSchedule {
    /// A period with one trouble.
    struct Spell {
        let trouble: Trouble

        /// Start, relative to the beginning of the load.
        let start: Duration
        let length: Duration

        /// Period after the end in which measurements still count for the trouble, because delayed requests complete then.
        let recovery: Duration
    }

    private(set) var spells: [Spell] = []

    /// `killed` occurs once and first, so that memory is measured in a single process for as long as possible.
    ///
    /// - Parameter longest: Longest duration of a trouble.
    init(_ troubles: [Trouble], over duration: Duration, longest: Duration, seed: UInt64) {
        guard !troubles.isEmpty else { return }
        var numbers = SeededNumbers(seed)
        let length = min(duration / 32, longest)
        let round = length * 4
        var time = length * 2
        var rest: [Trouble] = troubles.contains(.killed) ? [.killed] : []
        let repeated = troubles.filter { $0 != .killed }
        while time + round <= duration {
            if rest.isEmpty { rest = repeated.shuffled(using: &numbers) }
            guard let trouble = rest.popLast() else { return }
            spells.append(Spell(trouble: trouble, start: time, length: trouble == .killed ? .zero : length, recovery: length))
            time += round
        }
    }
}

/// A fault of the environment that the bridges are exposed to under load.
package enum Trouble: String, Sendable, CaseIterable {
    // Of a single bridge.

    /// Files cannot grow (full disk).
    case full

    /// Files cannot be changed (read-only file system).
    case readOnly

    /// A flush to the disk takes half a second.
    case slow

    /// The process can open hardly any more files.
    case files

    /// The clock jumps back by a day, and then forward by two.
    case clock

    /// The process is killed, and started again.
    case killed

    // Of a cluster.

    /// A bridge is killed with its supervisor, and started again at the end.
    case bridgeKilled

    /// A bridge is stopped in order, and started again at the end.
    case bridgeStopped

    /// A bridge's processes are stopped, as those of a machine that hangs.
    case bridgePaused

    /// The primary is killed. At the middle its standby is promoted, and at the end the old primary comes back as the standby.
    case primaryKilled

    /// The primary is restarted in order.
    case serverRestarted

    /// The primary's processes are stopped. Connections stay open and nothing answers, as with a network that is cut.
    case serverPaused

    /// PostgreSQL ends all connections of the bridges.
    case connectionsEnded

    /// PostgreSQL accepts three connections of all bridges together, and ends the present ones at the middle.
    case connectionsRefused

    /// The faults of a single bridge's process and its disk.
    package static let ofBridge: [Trouble] = [.full, .readOnly, .slow, .files, .clock, .killed]

    /// The faults of a cluster.
    package static let ofCluster: [Trouble] = [
        .bridgeKilled, .bridgeStopped, .bridgePaused, .primaryKilled, .serverRestarted, .serverPaused, .connectionsEnded,
        .connectionsRefused,
    ]

    /// Whether requests may wait for its end.
    var suspendsRequests: Bool { [.killed, .bridgePaused, .primaryKilled, .serverRestarted, .serverPaused].contains(self) }
}
