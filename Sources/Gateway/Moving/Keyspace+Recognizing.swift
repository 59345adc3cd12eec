import Access
import Documents
import Storage

/// Documents that a client has in its default collection under their legacy IDs, and that have other places: routes placed them in another
/// collection from the start, or they live in the default collection under another ID, because the legacy ID was taken.
///
/// For an app without named collections, the default collection is the unified keyspace. Once the app names collections, its checkpoint is invalid,
/// and it proposes all documents of its default collection again. Moved documents are found by their departure records. For the others, a departure
/// is recorded when the app proves that it has one of their revisions. Otherwise each would be written as a duplicate, with the edits that were
/// made offline.
///
/// A revision alone is no proof: LiteCore derives its ID from the content, so documents of the same ID and content in two collections have the same
/// revision. A server with collections that moves a document back also pushes it to both places. Therefore one of these has to hold as well:
///
/// - The document was in the unified keyspace before it was placed in its collection.
/// - Its legacy ID is a qualified one, which this database has made.
/// - The app has replicated the unified keyspace.
///
/// Versions need no further proof: one device creates each, and no other document has it.
extension Keyspace {
    /// Records which of these documents have other places than the client's. Later writes to them here are applied at those places, as for moved
    /// documents.
    ///
    /// - Parameters:
    ///   - proposals: the IDs that a client proposes, and its revisions.
    ///   - wasUnified: whether the client's default collection has been replicated with the unified keyspace.
    package func recognize(_ proposals: [(id: String, revisions: [VersionProposal.Revision])], wasUnified: Bool) async throws {
        try await recognize(proposals, wasUnified: wasUnified, allowsInvisible: false)
    }

    /// Does the same for incoming revisions. They contain their ancestors; a proposal has no parent after a reset of the checkpoint (LiteCore).
    ///
    /// The user may have no access to the document, because users write into channels of others. This reveals nothing: the incoming revision is
    /// already in the document.
    package func recognize(_ writes: [RevisionWrite], wasUnified: Bool) async throws {
        let all = writes.map { (id: $0.id, revisions: $0.lineage) }
        // A revision without ancestors proves no more than its proposal, which was sufficient for a visible document.
        let shown = principal == .administrator ? all.filter { $0.revisions.count > 1 } : all
        try await recognize(shown, wasUnified: wasUnified, allowsInvisible: true)
    }

    private func recognize(
        _ proposals: [(id: String, revisions: [VersionProposal.Revision])], wasUnified: Bool, allowsInvisible: Bool
    ) async throws {
        guard scope == .collection(.default), !proposals.isEmpty else { return }
        let keyspace = self
        let found = try await store.read(as: share) { snapshot in
            let visibility = Visibility(rights: try keyspace.rights(in: snapshot), snapshot: snapshot)
            let own = SourceID(try snapshot.uuid)
            return try proposals.contains {
                try keyspace.recognized($0.id, $0.revisions, wasUnified, own, visibility, allowsInvisible) != nil
            }
        }
        guard found else { return }
        try await store.write { transaction in
            let visibility = Visibility(rights: try keyspace.rights(in: transaction), snapshot: transaction)
            let own = SourceID(try transaction.uuid)
            for (id, revisions) in proposals {
                guard let document = try keyspace.recognized(id, revisions, wasUnified, own, visibility, allowsInvisible) else { continue }
                // Sequence zero: no feed announces it, because nothing has left the collection.
                try transaction.setDeparture(DepartureRecord(collection: .default, id: id, document: document, sequence: .zero))
            }
        }
    }

    private func recognized(
        _ id: String, _ revisions: [VersionProposal.Revision], _ wasUnified: Bool, _ own: SourceID?, _ visibility: Visibility,
        _ allowsInvisible: Bool
    ) throws -> DocumentKey? {
        let snapshot = visibility.snapshot
        guard try snapshot.document(in: .default, id: id) == nil, try snapshot.departure(from: .default, id: id) == nil,
            let document = try snapshot.document(unifiedID: id), let key = document.key
        else { return nil }
        let isSeen = try visibility.sees(key, in: document.collection)
        guard isSeen || allowsInvisible else { return nil }
        let version = try snapshot.version(of: key)?.vector
        let mayBeCopied = wasUnified || !document.flags.isDisjoint(with: [.routed, .qualified])
        let isKnown = revisions.contains { revision in
            switch revision {
            case .tree(let revision): mayBeCopied && document.tree.lookup(modern: revision) != nil
            // This database's version times can be guessed, so a user without access to the document has to send one of its versions exactly.
            case .version(let vector): version?.shares(with: vector, own: isSeen ? own : nil) ?? false
            }
        }
        return isKnown ? key : nil
    }
}

extension RevisionWrite {
    /// The revision and its ancestors.
    fileprivate var lineage: [VersionProposal.Revision] {
        switch kind {
        case .replicated(let history, _): history.map { .tree($0) }
        case .versioned(let made):
            made.history.vector.all.map { VersionProposal.Revision.version(VersionVector(current: $0)) }
                + made.history.legacy.map { VersionProposal.Revision.tree($0) }
        case .edit: []
        }
    }
}

extension VersionVector {
    /// Whether `vector` contains a version of this one. An older version of this database's own source is sufficient: it is unique to the document.
    fileprivate func shares(with vector: VersionVector, own: SourceID?) -> Bool {
        vector.all.contains { version in
            all.contains(version) || version.source == own && contains(version)
        }
    }
}
