import Access
import Storage

/// What moves change where not the same is seen of all collections.
extension Visibility {
    /// Whether a document could be seen in a collection at some time before it was moved out of it, at `departure`; by the channels that were asked for.
    ///
    /// It took its channels along, so what it is in, and was in then, can still be told. Where it left a channel before the move, or the reader lost the
    /// channel, the collection's feed can no longer tell of that: the reader may have the document still.
    func saw(
        _ document: DocumentKey, in collection: CollectionKey, until departure: Sequence, asked query: ChangesQuery
    ) throws -> Bool {
        let access = rights.access(to: collection)
        /// The times in which the reader had a channel before the move.
        func times(_ channel: String) -> [Range<Sequence>] {
            if channel == ChannelAccess.everyone { return [.zero..<departure] }
            let held = access.channels[channel].flatMap { $0 < departure ? [$0..<departure] : nil } ?? []
            return held
                + access.lost.filter { $0.channel == channel && $0.granted < departure }.map { $0.granted..<min($0.lost, departure) }
        }
        let everything = times(ChannelAccess.everything)
        if query.isAskedFor(channel: ChannelAccess.everything), !everything.isEmpty { return true }
        return try snapshot.channels(of: document).contains { entry in
            guard entry.since < departure, query.isAskedFor(channel: entry.channel) else { return false }
            let end = entry.isCurrent ? departure : max(min(entry.collectionSequence, departure), entry.since)
            return (times(entry.channel) + everything).contains { $0.lowerBound < end && entry.since < $0.upperBound }
        }
    }

    /// Behind which places the feed does not bring a document any more to those who see it by the channels that were asked for: one for each way
    /// by which it is seen now.
    func places(of document: DocumentRecord, asked query: ChangesQuery) throws -> [Sequence] {
        guard let key = document.key else { return [] }
        let access = rights.access(to: document.collection)
        let end = document.sequence ?? document.collectionSequence
        let everything = access.channels[ChannelAccess.everything]
        if let everything, query.isAskedFor(channel: ChannelAccess.everything) { return [max(everything, end)] }
        return try snapshot.channels(of: key).compactMap { entry in
            guard entry.isCurrent, query.isAskedFor(channel: entry.channel) else { return nil }
            let granted = entry.channel == ChannelAccess.everyone ? .zero : access.channels[entry.channel] ?? everything
            return granted.map { max($0, entry.sequence ?? end) }
        }
    }

    /// Since when a document had been seen in a collection as it was moved out of it, at `departure`: once for each way by which it was seen.
    func sights(
        of document: DocumentRecord, in collection: CollectionKey, until departure: Sequence, asked query: ChangesQuery
    ) throws -> [Sequence] {
        guard let key = document.key else { return [] }
        let access = rights.access(to: collection)
        func held(_ channel: String) -> Sequence? {
            if channel == ChannelAccess.everyone { return .zero }
            if let granted = access.channels[channel], granted < departure { return granted }
            return access.lost.first { $0.channel == channel && $0.granted < departure && $0.lost > departure }?.granted
        }
        let everything = held(ChannelAccess.everything)
        let isAskedForEverything = query.isAskedFor(channel: ChannelAccess.everything)
        let byEverything = everything.flatMap { isAskedForEverything ? max($0, document.sequence ?? document.collectionSequence) : nil }
        let byChannels = try snapshot.channels(of: key).compactMap { entry -> Sequence? in
            guard entry.since < departure, entry.isCurrent || entry.collectionSequence >= departure else { return nil }
            guard query.isAskedFor(channel: entry.channel) else { return nil }
            return (held(entry.channel) ?? everything).map { max($0, entry.since) }
        }
        return byChannels + (byEverything.map { [$0] } ?? [])
    }

    /// Whether a document could be seen in one of the collections that it was moved out of, and cannot in the one where it is.
    func sawBeforeMove(_ document: DocumentRecord) throws -> Bool {
        guard !rights.isUniform, let key = document.key else { return false }
        return try snapshot.departures(of: key).contains { departure in
            guard departure.collection != .unified else { return false }
            return try saw(key, in: departure.collection, until: departure.sequence, asked: ChangesQuery())
        }
    }
}
