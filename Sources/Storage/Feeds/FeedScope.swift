/// The document set of a feed or listing, which defines its order and IDs.
package enum FeedScope: Hashable, Sendable {
    /// All documents that legacy clients may see, by `sequence` and legacy ID.
    case unified

    /// One collection, by `collectionSequence` and the ID in the collection.
    case collection(CollectionKey)

    /// The scope's number in a schema: a collection's key, or 0 for the unified keyspace.
    package var number: Int64 {
        switch self {
        case .unified: 0
        case .collection(let key): key.value
        }
    }
}

/// A range of a feed: its rows between two sequences, and the limit of rows for one read.
package struct FeedStretch: Sendable {
    /// Exclusive start.
    package var after: SequenceNumber

    /// Exclusive end; `nil` for no end.
    package var before: SequenceNumber?

    /// The maximum number of rows.
    package var limit: Int

    /// Whether the rows come in descending order.
    package var isDescending: Bool

    package init(after: SequenceNumber = .zero, before: SequenceNumber? = nil, limit: Int, isDescending: Bool = false) {
        self.after = after
        self.before = before
        self.limit = limit
        self.isDescending = isDescending
    }

    /// The exclusive end as a query argument.
    package var end: SequenceNumber { before ?? SequenceNumber(.max) }
}

/// A document's row in a changes feed: its latest change.
package struct FeedRow: Sendable {
    package let key: DocumentKey
    package let sequence: SequenceNumber

    /// The document's ID in the requested scope.
    package let id: String

    /// The winning revision as text. Feeds copy it without parsing.
    package let revision: String

    package let flags: DocumentFlags
    package let collection: CollectionKey

    /// The approximate size of the winning body, in bytes.
    package let bodySize: Int

    package init(
        key: DocumentKey, sequence: SequenceNumber, id: String, revision: String, flags: DocumentFlags, collection: CollectionKey,
        bodySize: Int
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

/// The ID range of a listing, in byte order of UTF-8.
package struct ListRange: Hashable, Sendable {
    package var from: String?
    package var to: String?
    package var includesTo: Bool
    package var descending: Bool
    package var includesDeleted: Bool

    package init(from: String? = nil, to: String? = nil, includesTo: Bool = true, descending: Bool = false, includesDeleted: Bool = false) {
        self.from = from
        self.to = to
        self.includesTo = includesTo
        self.descending = descending
        self.includesDeleted = includesDeleted
    }
}
