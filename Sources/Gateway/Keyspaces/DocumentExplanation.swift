package import Documents
package import Storage

/// The state of one document for all kinds of clients.
package struct DocumentExplanation: Sendable {
    /// A revision of the tree.
    package struct Revision: Sendable {
        package let id: RevisionID
        package let parent: RevisionID?
        package let isDeleted: Bool
        package let isLeaf: Bool

        /// Whether its body is stored.
        package let hasBody: Bool
    }

    /// The document's collection.
    package let collection: CollectionName

    /// Its ID in the collection.
    package let id: String

    /// Its ID for clients of the first two generations; `nil` if it is hidden from them.
    package let legacyID: String?
    package let winner: RevisionID
    package let isDeleted: Bool

    /// The time of its last local change, in milliseconds since 1970.
    package let modified: Int64

    /// When it expires, in milliseconds since 1970.
    package let expiry: Int64?

    /// Its sequence in the unified feed; `nil` if that feed does not contain it.
    package let sequence: SequenceNumber?

    /// Its sequence in its collection's feed.
    package let collectionSequence: SequenceNumber

    /// The newest revisions, the winner's branch first; at most ``KeyspaceSnapshot/explainedRevisions``.
    package let revisions: [Revision]

    /// The number of revisions in the tree.
    package let revisionCount: Int
    package let channels: [ChannelEntry]

    /// The winning revision's attachments.
    package let attachments: [AttachmentMetadata]

    /// The legacy upstream whose feed was read; `nil` for none.
    package let upstream: String?

    /// Whether that feed contains the document's current state.
    package let isUpstream: Bool

    /// The clients whose checkpoints are before the document's current state, the latest seen first.
    package let behind: [CheckpointRecord]

    /// The numbers of clients that have read it, and of clients without a known position: those that only push, or are at a position of the old
    /// server's feed.
    package let caughtUp: Int
    package let unknown: Int
}

extension Keyspace {
    /// Explains a document; `nil` if it does not exist. For administrators.
    package func explain(_ id: String) async throws -> DocumentExplanation? {
        try await read { try $0.explain(id) }
    }
}

extension KeyspaceSnapshot {
    /// The maximum number of listed revisions.
    package static var explainedRevisions: Int { 200 }

    /// The maximum number of checkpoints that are read.
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

    /// The clients before and after the document's sequence in their feeds.
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
