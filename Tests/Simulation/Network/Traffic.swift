/// The traffic of a replication, without reads of checkpoints.
struct Traffic: Hashable, Sendable, CustomStringConvertible {
    /// Rows of changes feeds.
    var rows = 0

    /// Revisions that the client offered.
    var offers = 0

    /// Revisions that were sent to the server, and received from it.
    var pushed = 0
    var pulled = 0

    /// Checkpoints that were written.
    var checkpoints = 0

    var isQuiet: Bool { self == Traffic() }

    var description: String { "rows \(rows), offers \(offers), pushed \(pushed), pulled \(pulled), checkpoints \(checkpoints)" }

    static func += (total: inout Traffic, other: Traffic) {
        total.rows += other.rows
        total.offers += other.offers
        total.pushed += other.pushed
        total.pulled += other.pulled
        total.checkpoints += other.checkpoints
    }
}
