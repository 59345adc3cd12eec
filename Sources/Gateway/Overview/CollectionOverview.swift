public import Storage

/// A collection with its counts.
public struct CollectionOverview: Sendable {
    public let name: CollectionName

    /// Whether its documents are left out of the unified keyspace.
    public let isHidden: Bool
    public let counts: DocumentCounts
}
