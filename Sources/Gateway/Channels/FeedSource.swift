import Access
import Storage

/// One of the streams that a limited reader's feed is merged from.
struct FeedSource {
    enum Kind: Hashable {
        /// Every document of these collections.
        case collections(Set<CollectionKey>)
        /// The documents that are in a channel of a collection, or left it.
        case channel(String, CollectionKey)
        /// The documents that were moved out of a collection, for those who read that collection.
        case departures(CollectionKey)
        /// The documents that were moved out of a collection into another one, for those who read both.
        case crossings(CollectionKey)
        /// The documents that came back to a collection, or to the unified keyspace, after they had been moved out of it.
        case returns(CollectionKey)

        /// Whether its rows tell of moves, rather than of changes.
        var isOfMoves: Bool {
            switch self {
            case .collections, .channel: false
            case .departures, .crossings, .returns: true
            }
        }
    }

    enum Phase: Equatable {
        /// What has changed while the reader could see it.
        case changes
        /// What was there before access was granted at this sequence.
        case backfill(Sequence)
        /// What can no longer be seen because access was lost at this sequence.
        case revocation(Sequence)
        /// What has happened while the reader had access that is lost by now.
        case held
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
        case .changes, .held: FeedPosition(sequence)
        case .backfill(let trigger), .revocation(let trigger): FeedPosition(sequence, trigger: trigger)
        }
    }
}

extension FeedSource: Comparable {
    /// The order of streams whose rows stand at one place. It depends on nothing else, so a feed is the same in batches of any length.
    static func < (a: FeedSource, b: FeedSource) -> Bool {
        a.rank == b.rank ? a.kind.name.utf8.lexicographicallyPrecedes(b.kind.name.utf8) : a.rank < b.rank
    }

    private var rank: Int {
        switch (kind, phase) {
        case (.returns, _): 0
        case (.departures, _): 1
        case (.crossings, _): 2
        case (.channel, .changes), (.channel, .backfill): 3
        case (_, .revocation): 4
        case (_, .held): 5
        case (.collections, .changes), (.collections, .backfill): 6
        }
    }
}

extension FeedSource.Kind {
    /// The channel; of moves none.
    fileprivate var name: String {
        switch self {
        case .channel(let name, _): name
        case .collections: ChannelAccess.everything
        case .departures, .crossings, .returns: ""
        }
    }
}
