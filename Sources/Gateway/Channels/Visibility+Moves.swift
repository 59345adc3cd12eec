import Access
import Storage

/// What moves change where not the same is seen of all collections.
extension Visibility {
    /// Whether a document could be seen in a collection before it was moved out of it, at `departure`; by the channels that were asked for.
    ///
    /// It took its channels along, so what it is in, and was in then, can still be told.
    func saw(
        _ document: DocumentKey, in collection: CollectionKey, until departure: Sequence, asked query: ChangesQuery
    ) throws -> Bool {
        let access = rights.access(to: collection)
        func held(_ channel: String) -> Bool {
            if channel == ChannelAccess.everyone { return true }
            if let granted = access.channels[channel], granted < departure { return true }
            // Who lost the channel since, or has not been told yet, may have the document.
            return access.lost.contains { lost in
                lost.channel == channel && lost.granted < departure && (lost.lost > departure || lost.lost > query.since.settled)
            }
        }
        if query.isAskedFor(channel: ChannelAccess.everything), held(ChannelAccess.everything) { return true }
        return try snapshot.channels(of: document).contains { entry in
            guard entry.since < departure, entry.isCurrent || entry.collectionSequence >= departure else { return false }
            guard query.isAskedFor(channel: entry.channel) else { return false }
            return held(entry.channel) || held(ChannelAccess.everything)
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
