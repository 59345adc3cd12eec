public import Documents

/// A document as the store keeps it.
public struct DocumentRecord: Sendable {
    /// `nil` until the store has inserted it.
    public var key: DocumentKey?

    /// The one collection in which it lives.
    public var collection: CollectionKey

    /// Its legacy ID: its name in the unified keyspace, unique in the database. `nil` in a hidden collection.
    public var unifiedID: String?

    /// Its ID in the collection where that is not the legacy ID.
    public var localID: String?

    /// Its place in the unified feed; `nil` in a hidden collection.
    public var sequence: SequenceNumber?

    /// Its place in its collection's feed.
    public var collectionSequence: SequenceNumber

    /// The winning revision.
    public var winner: RevisionID

    public var flags: DocumentFlags

    /// When it last changed here, in milliseconds since 1970.
    public var modified: Int64

    public var tree: RevisionTree

    public init(
        key: DocumentKey? = nil, collection: CollectionKey, unifiedID: String?, localID: String?, sequence: SequenceNumber?,
        collectionSequence: SequenceNumber, winner: RevisionID, flags: DocumentFlags, modified: Int64, tree: RevisionTree
    ) {
        self.key = key
        self.collection = collection
        self.unifiedID = unifiedID
        self.localID = localID
        self.sequence = sequence
        self.collectionSequence = collectionSequence
        self.winner = winner
        self.flags = flags
        self.modified = modified
        self.tree = tree
    }

    /// Its ID in the collection in which it lives.
    public var id: String { localID ?? unifiedID ?? "" }
}

/// The store's own name for a document: stays the same when the document moves.
public struct DocumentKey: Hashable, Comparable, Sendable {
    public let value: Int64

    public init(_ value: Int64) {
        self.value = value
    }

    public static func < (a: DocumentKey, b: DocumentKey) -> Bool { a.value < b.value }
}
