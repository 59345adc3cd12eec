public import Storage

/// The clients of a database, counted (docs/protocol/model.md#sightings).
public struct FleetReport: Sendable {
    /// Those that were asked for one by one; the ones seen last come first.
    public let clients: [FleetClient]

    /// How many there are.
    public let clientCount: Int

    /// Totals, by generation.
    public let generations: [FleetGeneration]

    /// How many checkpoints of each generation were written on each day.
    public let days: [CheckpointDay]

    /// Whether all checkpoints were counted. Otherwise the ``Database/countedCheckpoints`` that were written last.
    public let isComplete: Bool
}

/// Which clients are asked for, and how many of them.
public struct FleetQuery: Sendable {
    /// Seen since then, in milliseconds since 1970.
    public var since: Int64

    /// Only this generation; `nil` for all.
    public var generation: Int?

    /// How many clients are passed over, those seen last first.
    public var skip = 0

    /// How many are described one by one. All are counted.
    public var limit = 100

    public init(since: Int64, generation: Int? = nil) {
        self.since = since
        self.generation = generation
    }
}

/// All clients of one generation.
public struct FleetGeneration: Hashable, Sendable {
    public let generation: Int
    public internal(set) var clients = 0

    /// As far as can be told, as in ``FleetClient/devices``.
    public internal(set) var devices = 0
    public internal(set) var checkpoints = 0

    /// When one was seen last, in milliseconds since 1970.
    public internal(set) var lastSeen: Int64 = 0
}
