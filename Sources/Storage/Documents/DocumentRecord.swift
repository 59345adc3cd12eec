package import Documents

/// A stored document.
package struct DocumentRecord: Sendable {
    /// `nil` until the store has inserted it.
    package var key: DocumentKey?

    /// The collection that holds the document.
    package var collection: CollectionKey

    /// Its legacy ID: its ID in the unified keyspace, unique in the database. `nil` in a hidden collection.
    package var unifiedID: String?

    /// Its ID in the collection, if it differs from the legacy ID.
    package var localID: String?

    /// Its sequence in the unified feed; `nil` in a hidden collection.
    package var sequence: SequenceNumber?

    /// Its sequence in its collection's feed.
    package var collectionSequence: SequenceNumber

    /// The winning revision.
    package var winner: RevisionID

    package var flags: DocumentFlags

    /// The time of its last change in this store, in milliseconds since 1970.
    package var modified: Int64

    package var tree: RevisionTree

    package init(
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
    package var id: String { localID ?? unifiedID ?? "" }
}

/// The store's internal key of a document. It stays the same when the document moves.
package struct DocumentKey: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) {
        self.value = value
    }

    package static func < (a: DocumentKey, b: DocumentKey) -> Bool { a.value < b.value }
}
