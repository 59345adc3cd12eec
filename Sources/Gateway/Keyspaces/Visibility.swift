import Access
import Documents
import Storage

/// What someone may see of the documents of a keyspace, in one snapshot.
struct Visibility {
    let rights: Rights
    let snapshot: any StoreSnapshot

    /// Whether a document can be seen as it is now.
    func sees(_ document: DocumentKey, in collection: CollectionKey) throws -> Bool {
        let access = rights.access(to: collection)
        guard !access.seesEverything else { return true }
        return try snapshot.channels(of: document).contains { $0.isCurrent && access.includes(anyOf: [$0.channel]) }
    }

    /// Whether a revision of a document can be seen. Who may see the winner may not see every ancestor and every branch.
    func sees(_ revision: RevisionID, of document: DocumentRecord) throws -> Bool {
        let access = rights.access(to: document.collection)
        guard !access.seesEverything else { return true }
        return access.includes(anyOf: try snapshot.channels(of: revision, in: document))
    }

    /// The times in which the reader had a channel of a collection that was taken away again.
    func times(lost channel: String, in collection: CollectionKey) -> [Range<SequenceNumber>] {
        rights.access(to: collection).lost.filter { $0.channel == channel && $0.granted < $0.lost }.map { $0.granted..<$0.lost }
    }

    /// The revision whose place a removal takes: the one with which a document left all that can be seen, or the current one where
    /// access was lost; `nil` if the document could never be seen.
    func removal(of document: DocumentRecord) throws -> RevisionID? {
        let access = rights.access(to: document.collection)
        guard let key = document.key else { return nil }
        let entries = try snapshot.channels(of: key)
        for lost in access.lost {
            if lost.channel == ChannelAccess.everything { return document.winner }
            if entries.contains(where: { $0.channel == lost.channel && $0.isCurrent && $0.since < lost.lost }) { return document.winner }
        }
        let left = entries.filter { hasLeft($0, access) }
        if let last = left.max(by: { $0.collectionSequence < $1.collectionSequence }) { return last.leftWith.flatMap { RevisionID($0) } }
        return try sawBeforeMove(document) ? document.winner : nil
    }

    /// Whether it was with this revision that a document left a channel that the reader has, or has had.
    func left(_ document: DocumentRecord, with revision: RevisionID) throws -> Bool {
        guard let key = document.key else { return false }
        let access = rights.access(to: document.collection)
        return try snapshot.channels(of: key).contains { hasLeft($0, access) && $0.leftWith == revision.text }
    }

    /// Whether the reader saw a document by a channel that was lost after that. What has become of the document since does not matter.
    func sawBeforeLoss(_ document: DocumentRecord) throws -> Bool {
        guard let key = document.key else { return false }
        let losses = rights.access(to: document.collection).lost
        guard !losses.isEmpty else { return false }
        return try snapshot.channels(of: key).contains { entry in
            losses.contains { lost in
                (lost.channel == ChannelAccess.everything || lost.channel == entry.channel) && entry.since < lost.lost
                    && (entry.isCurrent || entry.collectionSequence > lost.granted)
            }
        }
    }

    private func hasLeft(_ entry: ChannelEntry, _ access: ChannelAccess) -> Bool {
        guard !entry.isCurrent else { return false }
        return access.includes(anyOf: [entry.channel]) || access.lost.contains { $0.channel == entry.channel && entry.since < $0.lost }
    }
}

/// What moves change where not the same is seen of all collections.
extension Visibility {
    /// Whether a document could be seen in a collection at some time before it was moved out of it, at `departure`; by the channels that were asked for.
    ///
    /// It took its channels along, so what it is in, and was in then, can still be told. Where it left a channel before the move, or the reader lost the
    /// channel, the collection's feed can no longer tell of that: the reader may have the document still.
    func saw(
        _ document: DocumentKey, in collection: CollectionKey, until departure: SequenceNumber, asked query: ChangesQuery
    ) throws -> Bool {
        let access = rights.access(to: collection)
        /// The times in which the reader had a channel before the move.
        func times(_ channel: String) -> [Range<SequenceNumber>] {
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
    func places(of document: DocumentRecord, asked query: ChangesQuery) throws -> [SequenceNumber] {
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
        of document: DocumentRecord, in collection: CollectionKey, until departure: SequenceNumber, asked query: ChangesQuery
    ) throws -> [SequenceNumber] {
        guard let key = document.key else { return [] }
        let access = rights.access(to: collection)
        func held(_ channel: String) -> SequenceNumber? {
            if channel == ChannelAccess.everyone { return .zero }
            if let granted = access.channels[channel], granted < departure { return granted }
            return access.lost.first { $0.channel == channel && $0.granted < departure && $0.lost > departure }?.granted
        }
        let everything = held(ChannelAccess.everything)
        let isAskedForEverything = query.isAskedFor(channel: ChannelAccess.everything)
        let byEverything = everything.flatMap { isAskedForEverything ? max($0, document.sequence ?? document.collectionSequence) : nil }
        let byChannels = try snapshot.channels(of: key).compactMap { entry -> SequenceNumber? in
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
