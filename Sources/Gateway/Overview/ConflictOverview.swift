public import Documents

/// A document of which more than one leaf is live.
public struct ConflictOverview: Sendable {
    public let collection: CollectionName
    public let id: String
    public let winner: RevisionID

    /// How many leaves are live, the winner among them.
    public let leaves: Int

    /// When it last changed here, in milliseconds since 1970.
    public let modified: Int64
}
