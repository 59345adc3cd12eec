public import Documents

/// A stored document.
public struct DocumentRecord: Sendable {
    /// `nil` until the store has inserted it.
    public var key: DocumentKey?

    /// The collection that holds the document.
    public var collection: CollectionKey

    /// Its legacy ID: its ID in the unified keyspace, unique in the database. `nil` in a hidden collection.
    public var unifiedID: String?

    /// Its ID in the collection, if it differs from the legacy ID.
    public var localID: String?

    /// Its sequence in the unified feed; `nil` in a hidden collection.
    public var sequence: SequenceNumber?

    /// Its sequence in its collection's feed.
    public var collectionSequence: SequenceNumber

    /// The winning revision.
    public var winner: RevisionID

    public var flags: DocumentFlags

    /// The time of its last change in this store, in milliseconds since 1970.
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

    /// Its ID in its collection.
    public var id: String { localID ?? unifiedID ?? "" }
}

/// The store's internal key of a document. It stays the same when the document moves.
public struct DocumentKey: Hashable, Comparable, Sendable {
    public let value: Int64

    public init(_ value: Int64) {
        self.value = value
    }

    public static func < (a: DocumentKey, b: DocumentKey) -> Bool { a.value < b.value }
}
