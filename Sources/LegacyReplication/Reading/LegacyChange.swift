/// A row of a server's changes feed: a document, and its leaves.
public struct LegacyChange: Sendable, Equatable {
    public let id: String

    /// As the server writes them.
    public let revisions: [String]

    /// Whether what has won is a tombstone.
    public let isDeleted: Bool
    public let sequence: String

    public init(id: String, revisions: [String], isDeleted: Bool = false, sequence: String) {
        self.id = id
        self.revisions = revisions
        self.isDeleted = isDeleted
        self.sequence = sequence
    }
}
