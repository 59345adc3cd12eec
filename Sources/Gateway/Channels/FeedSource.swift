import Storage

/// One of the streams that a limited reader's feed is merged from.
struct FeedSource {
    enum Kind: Hashable {
        /// Every document of these collections.
        case collections(Set<CollectionKey>)
        /// The documents that are in a channel of a collection, or left it.
        case channel(String, CollectionKey)
        /// The documents that were moved out of a collection.
        case departures(CollectionKey)
    }

    enum Phase: Equatable {
        /// What has changed while the reader could see it.
        case changes
        /// What was there before access was granted at this sequence.
        case backfill(Sequence)
        /// What can no longer be seen because access was lost at this sequence.
        case revocation(Sequence)
    }

    let kind: Kind
    let phase: Phase

    /// Rows behind this sequence.
    let after: Sequence

    /// Rows before this sequence; `nil` for no end.
    let before: Sequence?

    /// Where a row stands in the merged feed.
    func position(_ sequence: Sequence) -> FeedPosition {
        switch phase {
        case .changes: FeedPosition(sequence)
        case .backfill(let trigger), .revocation(let trigger): FeedPosition(sequence, trigger: trigger)
        }
    }
}
