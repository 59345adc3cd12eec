public import Storage

/// One row of a changes feed.
public struct ChangeRow: Sendable {
    public let sequence: Sequence
    public let id: String

    /// The winning revision.
    public let revision: String

    /// The other leaves, in the winner's order, where all were asked for.
    public let otherLeaves: [String]
    public let isDeleted: Bool

    /// The document left the keyspace, and this is the notice of it.
    public let isRemoval: Bool

    /// Bytes of the winning body, about.
    public let bodySize: Int

    /// The winner's content, where it was asked for.
    public let content: RevisionContent?

    public init(
        sequence: Sequence, id: String, revision: String, otherLeaves: [String] = [], isDeleted: Bool, isRemoval: Bool = false,
        bodySize: Int, content: RevisionContent? = nil
    ) {
        self.sequence = sequence
        self.id = id
        self.revision = revision
        self.otherLeaves = otherLeaves
        self.isDeleted = isDeleted
        self.isRemoval = isRemoval
        self.bodySize = bodySize
        self.content = content
    }
}
