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
        let left = entries.filter { entry in
            !entry.isCurrent
                && (access.includes(anyOf: [entry.channel])
                    || access.lost.contains { $0.channel == entry.channel && entry.since < $0.lost })
        }
        return left.max { $0.collectionSequence < $1.collectionSequence }?.leftWith.flatMap { RevisionID($0) }
    }
}
