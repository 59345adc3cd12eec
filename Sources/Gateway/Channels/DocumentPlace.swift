import Access
import Storage

/// Where a document stands in the feed of someone who may not see everything.
struct DocumentPlace {
    let visibility: Visibility
    let query: ChangesQuery
    let scope: FeedScope

    /// - Returns: `nil` if it cannot be seen.
    func position(of document: DocumentKey, in collection: CollectionKey, sequence: Sequence) throws -> FeedPosition? {
        let access = visibility.rights.access(to: collection)
        let settled = query.since.settled
        if query.channels == nil, access.isWholeFeed(since: settled) { return FeedPosition(sequence) }
        var places: [FeedPosition] = []
        if query.isAskedFor(channel: ChannelAccess.everything), let granted = access.channels[ChannelAccess.everything] {
            places.append(place(sequence, granted, settled))
        }
        for entry in try visibility.snapshot.channels(of: document) where entry.isCurrent && query.isAskedFor(channel: entry.channel) {
            let granted =
                access.channels[entry.channel]
                ?? (entry.channel == ChannelAccess.everyone ? .zero : access.channels[ChannelAccess.everything])
            guard let granted, let sequence = entry.sequence(in: scope) else { continue }
            places.append(place(sequence, granted, settled))
        }
        return places.min()
    }

    private func place(_ sequence: Sequence, _ granted: Sequence, _ settled: Sequence) -> FeedPosition {
        granted > settled && sequence <= granted ? FeedPosition(sequence, trigger: granted) : FeedPosition(sequence)
    }
}
