public import Storage

/// The clients of a database, by their checkpoints (design, section 4, rule 7).
public struct Fleet: Sendable {
    /// Those seen last come first.
    public let members: [FleetMember]

    /// How many checkpoints of each generation were written on each day.
    public let days: [SightingDay]
}
