public import Storage

/// What a client replicates, in one direction.
public struct FleetFeed: Sendable {
    /// `nil` for the unified keyspace.
    public let collection: CollectionName?

    /// Whether it reads our feed, as far as can be told: pushes do not, and those who stand at a place of an old server's feed do not yet.
    public let reads: Bool

    /// How many checkpoints it keeps there, which is one for each device.
    public let checkpoints: Int

    /// How far it has read; the device that is furthest behind counts.
    public let position: Sequence?

    /// How many documents have changed since, up to ``Database/countedChanges``.
    public let changesBehind: Int?
}
