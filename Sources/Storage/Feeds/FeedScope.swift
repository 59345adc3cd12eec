/// The document set of a feed or listing, which defines its order and IDs.
public enum FeedScope: Hashable, Sendable {
    /// All documents that legacy clients may see, by `sequence` and legacy ID.
    case unified

    /// One collection, by `collectionSequence` and the ID in the collection.
    case collection(CollectionKey)
}

/// A range of a feed: its rows between two sequences, and the limit of rows for one read.
public struct FeedStretch: Sendable {
    /// Exclusive start.
    public var after: SequenceNumber

    /// Exclusive end; `nil` for no end.
    public var before: SequenceNumber?

    /// The maximum number of rows.
    public var limit: Int

    /// Whether the rows come in descending order.
    public var isDescending: Bool

    public init(after: SequenceNumber = .zero, before: SequenceNumber? = nil, limit: Int, isDescending: Bool = false) {
        self.after = after
        self.before = before
        self.limit = limit
        self.isDescending = isDescending
    }

    /// The exclusive end as a query argument.
    package var end: SequenceNumber { before ?? SequenceNumber(.max) }
}

/// A document's row in a changes feed: its latest change.
public struct FeedRow: Sendable {
    public let key: DocumentKey
    public let sequence: SequenceNumber

    /// The document's ID in the requested scope.
    public let id: String

    /// The winning revision as text. Feeds copy it without parsing.
    public let revision: String

    public let flags: DocumentFlags
    public let collection: CollectionKey

    /// The approximate size of the winning body, in bytes.
    public let bodySize: Int

    public init(
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
public struct ListRange: Hashable, Sendable {
    public var from: String?
    public var to: String?
    public var includesTo: Bool
    public var descending: Bool
    public var includesDeleted: Bool

    public init(from: String? = nil, to: String? = nil, includesTo: Bool = true, descending: Bool = false, includesDeleted: Bool = false) {
        self.from = from
        self.to = to
        self.includesTo = includesTo
        self.descending = descending
        self.includesDeleted = includesDeleted
    }
}
