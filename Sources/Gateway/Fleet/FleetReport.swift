package import Storage

/// Statistics of a database's clients (docs/protocol/model.md#sightings).
package struct FleetReport: Sendable {
    /// The requested page of clients, the latest seen first.
    package let clients: [FleetClient]

    /// The number of all clients.
    package let clientCount: Int

    /// Totals by generation.
    package let generations: [FleetGeneration]

    /// The number of checkpoints of each generation by the day of their last write.
    package let days: [CheckpointDay]

    /// Whether all checkpoints were counted, or only the ``Database/countedCheckpoints`` that were written last.
    package let isComplete: Bool
}

/// The selection of clients for a report.
package struct FleetQuery: Sendable {
    /// Only clients seen since this time, in milliseconds since 1970.
    package var since: Int64

    /// Only this generation; `nil` for all.
    package var generation: Int?

    /// How many clients to skip, the latest seen first.
    package var skip = 0

    /// The maximum number of clients in the list. The totals count all clients.
    package var limit = 100

    package init(since: Int64, generation: Int? = nil) {
        self.since = since
        self.generation = generation
    }
}

/// All clients of one generation.
package struct FleetGeneration: Hashable, Sendable {
    package let generation: Int
    package internal(set) var clients = 0

    /// An estimate, as in ``FleetClient/devices``.
    package internal(set) var devices = 0
    package internal(set) var checkpoints = 0

    /// The last time that one of them was seen, in milliseconds since 1970.
    package internal(set) var lastSeen: Int64 = 0
}
