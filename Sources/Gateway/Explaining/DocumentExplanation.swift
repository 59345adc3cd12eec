public import Documents
public import Storage

/// One document as every side sees it.
public struct DocumentExplanation: Sendable {
    /// A revision of the tree.
    public struct Revision: Sendable {
        public let id: RevisionID
        public let parent: RevisionID?
        public let isDeleted: Bool
        public let isLeaf: Bool

        /// Whether its body is still kept.
        public let hasBody: Bool
    }

    /// Where it lives.
    public let collection: CollectionName

    /// Its ID there.
    public let id: String

    /// Its ID for clients of the first two generations; `nil` if they do not see it.
    public let legacyID: String?
    public let winner: RevisionID
    public let isDeleted: Bool

    /// When it was changed here last, in milliseconds since 1970.
    public let modified: Int64

    /// When it expires, in milliseconds since 1970.
    public let expiry: Int64?

    /// Its place in the unified feed; `nil` if it is not in it.
    public let sequence: Sequence?

    /// Its place in its collection's feed.
    public let collectionSequence: Sequence

    /// The newest revisions, the winner's branch first; at most ``KeyspaceSnapshot/explainedRevisions``.
    public let revisions: [Revision]

    /// How many revisions the tree has.
    public let revisionCount: Int
    public let channels: [ChannelEntry]

    /// Those of the winning revision.
    public let attachments: [AttachmentMetadata]

    /// The server whose feed is known; `nil` if none is.
    public let upstream: String?

    /// Whether that feed has shown the document as it is.
    public let isUpstream: Bool

    /// Clients, by their checkpoints, that have not read its present state; the last seen first.
    public let behind: [Sighting]

    /// How many have, and of how many nobody can say: those that only push, or stand at a place of the old server's feed.
    public let caughtUp: Int
    public let unknown: Int
}
