/// Whose order a feed or a listing follows.
public enum FeedScope: Hashable, Sendable {
    /// Every document that legacy clients may see, by `sequence` and legacy ID.
    case unified

    /// One collection, by `collectionSequence` and the ID in the collection.
    case collection(CollectionKey)
}

/// A part of a feed: its rows between two sequences, and how many of them are read at once.
public struct FeedStretch: Sendable {
    /// Rows behind this sequence.
    public var after: SequenceNumber

    /// Rows before this sequence; `nil` for no end.
    public var before: SequenceNumber?

    /// The most rows.
    public var limit: Int

    /// Whether the last row of the stretch comes first.
    public var isDescending: Bool

    public init(after: SequenceNumber = .zero, before: SequenceNumber? = nil, limit: Int, isDescending: Bool = false) {
        self.after = after
        self.before = before
        self.limit = limit
        self.isDescending = isDescending
    }

    /// The end for a query.
    package var end: SequenceNumber { before ?? SequenceNumber(.max) }
}

/// One document's row in a changes feed: its latest change, and no more than a feed needs.
public struct FeedRow: Sendable {
    public let key: DocumentKey
    public let sequence: SequenceNumber

    /// The document's ID in the scope that was asked for.
    public let id: String

    /// The winning revision, as text: a feed copies it and need not take it apart.
    public let revision: String

    public let flags: DocumentFlags
    public let collection: CollectionKey

    /// Bytes of the winning body, about.
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

/// Which IDs a listing covers, in byte order of their UTF-8.
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
