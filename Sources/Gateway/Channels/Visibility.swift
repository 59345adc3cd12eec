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
