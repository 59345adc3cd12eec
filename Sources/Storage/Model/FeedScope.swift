/// Whose order a feed or a listing follows.
public enum FeedScope: Hashable, Sendable {
    /// Every document that legacy clients may see, by `sequence` and legacy ID.
    case unified

    /// One collection, by `collectionSequence` and the ID in the collection.
    case collection(CollectionKey)
}
