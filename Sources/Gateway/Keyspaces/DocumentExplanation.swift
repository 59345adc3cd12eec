public import Documents
public import Storage

/// One document as every side sees it.
public struct DocumentExplanation: Sendable {
    /// A revision of the tree.
    public struct Revision: Sendable {
        public let id: RevisionID
        public let parent: RevisionID?
        public let isDeleted: Bool
        public let isLeaf: Bool

        /// Whether its body is still kept.
        public let hasBody: Bool
    }

    /// Where it lives.
    public let collection: CollectionName

    /// Its ID there.
    public let id: String

    /// Its ID for clients of the first two generations; `nil` if they do not see it.
    public let legacyID: String?
    public let winner: RevisionID
    public let isDeleted: Bool

    /// When it was changed here last, in milliseconds since 1970.
    public let modified: Int64

    /// When it expires, in milliseconds since 1970.
    public let expiry: Int64?

    /// Its place in the unified feed; `nil` if it is not in it.
    public let sequence: SequenceNumber?

    /// Its place in its collection's feed.
    public let collectionSequence: SequenceNumber

    /// The newest revisions, the winner's branch first; at most ``KeyspaceSnapshot/explainedRevisions``.
    public let revisions: [Revision]

    /// How many revisions the tree has.
    public let revisionCount: Int
    public let channels: [ChannelEntry]

    /// Those of the winning revision.
    public let attachments: [AttachmentMetadata]

    /// The server whose feed is known; `nil` if none is.
    public let upstream: String?

    /// Whether that feed has shown the document as it is.
    public let isUpstream: Bool

    /// Clients, by their checkpoints, that have not read its present state; the last seen first.
    public let behind: [CheckpointRecord]

    /// How many have, and of how many nobody can say: those that only push, or stand at a place of the old server's feed.
    public let caughtUp: Int
    public let unknown: Int
}

extension Keyspace {
    /// Everything that is known of a document; `nil` if it is not there. For administrators.
    public func explain(_ id: String) async throws -> DocumentExplanation? {
        try await read { try $0.explain(id) }
    }
}

extension KeyspaceSnapshot {
    /// How many revisions are listed.
    public static var explainedRevisions: Int { 200 }

    /// How many clients are looked at.
    static var explainedClients: Int { 1_000 }

    func explain(_ id: String) throws -> DocumentExplanation? {
        guard let view = try document(id, followingMoves: true), let key = view.record.key,
            let collection = try store.collection(view.record.collection)
        else { return nil }
        let record = view.record
        let clients = try clients(before: record)
        return DocumentExplanation(
            collection: collection.collectionName, id: record.id, legacyID: record.unifiedID,
            winner: record.winner, isDeleted: view.isDeleted, modified: record.modified, expiry: try store.expiry(of: key),
            sequence: record.sequence, collectionSequence: record.collectionSequence, revisions: try revisions(of: record),
            revisionCount: record.tree.count, channels: try view.channelEntries(),
            attachments: try view.content(of: view.winner)?.body.attachments.map { try AttachmentSet($0).entries } ?? [],
            upstream: try store.upstream()?.source, isUpstream: try record.sequence.map { try store.isShownUpstream($0) } ?? false,
            behind: clients.behind, caughtUp: clients.caughtUp, unknown: clients.unknown)
    }

    private func revisions(of record: DocumentRecord) throws -> [DocumentExplanation.Revision] {
        var seen: Set<RevisionID> = []
        var revisions: [DocumentExplanation.Revision] = []
        for leaf in record.tree.leaves {
            for id in record.tree.history(of: leaf.id) where seen.insert(id).inserted {
                guard revisions.count < Self.explainedRevisions, let node = record.tree.node(id) else { return revisions }
                revisions.append(
                    DocumentExplanation.Revision(
                        id: id, parent: node.parent, isDeleted: node.isDeleted, isLeaf: node.isLeaf,
                        hasBody: try store.body(of: id, in: record) != nil))
            }
        }
        return revisions
    }

    /// Who has read up to the document's place in the feed that he reads.
    private func clients(before record: DocumentRecord) throws -> (behind: [CheckpointRecord], caughtUp: Int, unknown: Int) {
        var behind: [CheckpointRecord] = []
        var (caughtUp, unknown) = (0, 0)
        for checkpointRecord in try store.checkpointRecords(since: 0, limit: Self.explainedClients) {
            let place: SequenceNumber?
            switch checkpointRecord.scope {
            case .unified: place = record.sequence
            case .collection(let key): place = key == record.collection ? record.collectionSequence : nil
            }
            guard let place else { continue }
            guard let position = checkpointRecord.position else {
                unknown += 1
                continue
            }
            if position < place { behind.append(checkpointRecord) } else { caughtUp += 1 }
        }
        return (behind, caughtUp, unknown)
    }
}
