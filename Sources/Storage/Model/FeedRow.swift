/// One document's row in a changes feed: its latest change, and no more than a feed needs.
public struct FeedRow: Sendable {
    public let key: DocumentKey
    public let sequence: Sequence

    /// The document's ID in the scope that was asked for.
    public let id: String

    /// The winning revision, as text: a feed copies it and need not take it apart.
    public let revision: String

    public let flags: DocumentFlags
    public let collection: CollectionKey

    /// Bytes of the winning body, about.
    public let bodySize: Int

    public init(
        key: DocumentKey, sequence: Sequence, id: String, revision: String, flags: DocumentFlags, collection: CollectionKey, bodySize: Int
    ) {
        self.key = key
        self.sequence = sequence
        self.id = id
        self.revision = revision
        self.flags = flags
        self.collection = collection
        self.bodySize = bodySize
    }
}
