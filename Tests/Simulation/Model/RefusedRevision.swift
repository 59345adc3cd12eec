import Storage

/// A revision that one side of a replication has refused.
struct RefusedRevision: Hashable, Sendable, CustomStringConvertible {
    let direction: ParkedDirection
    let place: Place

    /// As the other side names it.
    let revision: String

    var description: String { "\(place) \(revision) (\(direction))" }
}
