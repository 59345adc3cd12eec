import Access
import Documents
import Storage

/// What a principal may read of a keyspace's documents, in one snapshot.
struct Visibility {
    let rights: Rights
    let snapshot: any StoreSnapshot

    /// Whether the current state of a document is visible.
    func sees(_ document: DocumentKey, in collection: CollectionKey) throws -> Bool {
        let access = rights.access(to: collection)
        guard !access.seesEverything else { return true }
        return try snapshot.channels(of: document).contains { $0.isCurrent && access.includes(anyOf: [$0.channel]) }
    }

    /// Whether a revision of a document is visible. Access to the winner does not include every ancestor and branch.
    func sees(_ revision: RevisionID, of document: DocumentRecord) throws -> Bool {
        let access = rights.access(to: document.collection)
        guard !access.seesEverything else { return true }
        return access.includes(anyOf: try snapshot.channels(of: revision, in: document))
    }

    /// The periods of access to a channel that has been lost.
    func times(lost channel: String, in collection: CollectionKey) -> [Range<SequenceNumber>] {
        rights.access(to: collection).lost.filter { $0.channel == channel && $0.granted < $0.lost }.map { $0.granted..<$0.lost }
    }

    /// The revision that a removal replaces: the revision with which a document left its last visible channel, or the winner if access was lost;
    /// `nil` if the document was never visible.
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

    /// Whether the document left one of the reader's current or former channels with this revision.
    func left(_ document: DocumentRecord, with revision: RevisionID) throws -> Bool {
        guard let key = document.key else { return false }
        let access = rights.access(to: document.collection)
        return try snapshot.channels(of: key).contains { hasLeft($0, access) && $0.leftWith == revision.text }
    }

    /// Whether the reader saw a document through a channel that was lost later. The document's later changes do not matter.
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

/// Visibility of moved documents, where access differs between collections.
extension Visibility {
    /// Whether a document was visible in a collection, through the requested channels, at some time before its move at `departure`.
    ///
    /// A moved document keeps its channel entries, which therefore show its channels at that time. If it left a channel before the move, or the
    /// reader lost the channel, the collection's feed cannot announce that any more: the reader may still have the document.
    func saw(
        _ document: DocumentKey, in collection: CollectionKey, until departure: SequenceNumber, asked query: ChangesQuery
    ) throws -> Bool {
        let access = rights.access(to: collection)
        /// The periods before the move in which the reader had a channel.
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

    /// The positions after which the feed does not yield the document any more, through the requested channels: one for each way in which it is
    /// visible.
    func positions(of document: DocumentRecord, asked query: ChangesQuery) throws -> [SequenceNumber] {
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

    /// The sequences since which a document had been visible in a collection at its move at `departure`: one for each way in which it was visible.
    func visibilityStarts(
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

    /// Whether a document was visible in one of its former collections, and is not in the current one.
    func sawBeforeMove(_ document: DocumentRecord) throws -> Bool {
        guard !rights.isUniform, let key = document.key else { return false }
        return try snapshot.departures(of: key).contains { departure in
            guard departure.collection != .unified else { return false }
            return try saw(key, in: departure.collection, until: departure.sequence, asked: ChangesQuery())
        }
    }
}
