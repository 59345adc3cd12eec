public import Storage

/// The clients of a database, counted (docs/protocol/model.md#sightings).
public struct FleetCensus: Sendable {
    /// Those that were asked for one by one; the ones seen last come first.
    public let clients: [FleetClient]

    /// How many there are.
    public let clientCount: Int

    /// Totals, by generation.
    public let generations: [FleetGeneration]

    /// How many checkpoints of each generation were written on each day.
    public let days: [SightingDay]

    /// Whether all checkpoints were counted. Otherwise the ``Database/countedCheckpoints`` that were written last.
    public let isComplete: Bool
}
