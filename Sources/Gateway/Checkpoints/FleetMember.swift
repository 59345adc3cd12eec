public import Storage

/// A client, or a replicator of ours, as its checkpoint shows it.
public struct FleetMember: Sendable {
    public let sighting: Sighting

    /// What it replicates with: the database, or one collection, as in URLs.
    public let keyspace: String

    /// How many documents have changed after its position; `nil` for a push, and for a client that stands at a place of an old server's feed.
    public let changesBehind: Int?
}
