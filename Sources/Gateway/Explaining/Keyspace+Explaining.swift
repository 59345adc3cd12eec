import Documents
import Storage

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
            collection: CollectionName(scope: collection.scope, name: collection.name), id: record.id, legacyID: record.unifiedID,
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
    private func clients(before record: DocumentRecord) throws -> (behind: [Sighting], caughtUp: Int, unknown: Int) {
        var behind: [Sighting] = []
        var (caughtUp, unknown) = (0, 0)
        for sighting in try store.sightings(since: 0, limit: Self.explainedClients) {
            let place: Sequence?
            switch sighting.scope {
            case .unified: place = record.sequence
            case .collection(let key): place = key == record.collection ? record.collectionSequence : nil
            }
            guard let place else { continue }
            guard let position = sighting.position else {
                unknown += 1
                continue
            }
            if position < place { behind.append(sighting) } else { caughtUp += 1 }
        }
        return (behind, caughtUp, unknown)
    }
}
