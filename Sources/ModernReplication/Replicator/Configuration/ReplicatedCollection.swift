public import Gateway

/// One collection of a replication.
public struct ReplicatedCollection: Sendable {
    /// What is replicated here.
    public let keyspace: Keyspace

    /// What the other side calls it.
    public let name: CollectionName
    public let configuration: ReplicatorConfiguration.CollectionConfiguration
}
