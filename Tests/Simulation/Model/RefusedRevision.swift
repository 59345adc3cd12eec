import Storage

/// A revision that one side of a replication has refused.
struct RefusedRevision: Hashable, Sendable, CustomStringConvertible {
    let direction: ParkedDirection
    let place: Place

    /// The other side's name of it.
    let revision: String

    var description: String { "\(place) \(revision) (\(direction))" }
}
