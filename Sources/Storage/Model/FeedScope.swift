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
    public var after: Sequence

    /// Rows before this sequence; `nil` for no end.
    public var before: Sequence?

    /// The most rows.
    public var limit: Int

    /// Whether the last row of the stretch comes first.
    public var isDescending: Bool

    public init(after: Sequence = .zero, before: Sequence? = nil, limit: Int, isDescending: Bool = false) {
        self.after = after
        self.before = before
        self.limit = limit
        self.isDescending = isDescending
    }

    /// The end for a query.
    var end: Sequence { before ?? Sequence(.max) }
}
