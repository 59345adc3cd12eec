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
    func times(lost channel: String, in collection: CollectionKey) -> [Range<Sequence>] {
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
        let left = entries.filter { entry in
            !entry.isCurrent
                && (access.includes(anyOf: [entry.channel])
                    || access.lost.contains { $0.channel == entry.channel && entry.since < $0.lost })
        }
        if let last = left.max(by: { $0.collectionSequence < $1.collectionSequence }) { return last.leftWith.flatMap { RevisionID($0) } }
        return try sawBeforeMove(document) ? document.winner : nil
    }
}
