import Access
import Documents
import Storage

/// Documents that a client knows by the default collection, and that routes have placed elsewhere from the beginning.
///
/// To an app that names no collections, the default one is the unified keyspace. Once it names some, it proposes all documents of its default collection
/// anew, since its checkpoint counts no longer. Documents that were moved are known there by their departures. For the others a departure is noted
/// when the app shows that it has a revision of theirs: otherwise each would come back as a duplicate, with the edits that were made offline.
///
/// A revision alone does not show that: LiteCore makes its ID of the content, so documents of one name and content in two collections are in the same
/// revision; and a server of collections that moves a document back pushes it to both places. So the document has to have been in the unified keyspace before
/// it came to its collection, or the app has to have replicated the unified keyspace. Versions are made by one device, and no other document has them.
extension Keyspace {
    /// Notes which of these documents are documents of other collections under their legacy IDs. From then on what is written to them here is applied
    /// where they live, as for documents that were moved.
    ///
    /// - Parameters:
    ///   - proposals: IDs that a client proposes, and the revisions that it shows to have.
    ///   - wasUnified: whether the client's default collection has been replicated with the unified keyspace.
    public func recognize(_ proposals: [(id: String, revisions: [VersionProposal.Revision])], wasUnified: Bool) async throws {
        try await recognize(proposals, wasUnified: wasUnified, mayBeUnseen: false)
    }

    /// The same with revisions that come. They tell their ancestors; a proposal names no parent after the checkpoint was reset (LiteCore).
    /// The document may be one that the user may not see, because users write into channels of others. Nothing is told of it by that: the revision is in it already.
    public func recognize(_ writes: [RevisionWrite], wasUnified: Bool) async throws {
        let all = writes.map { (id: $0.id, revisions: $0.lineage) }
        // A revision without ancestors shows what its proposal has shown. The proposal of a document that can be seen was enough.
        let shown = principal == .administrator ? all.filter { $0.revisions.count > 1 } : all
        try await recognize(shown, wasUnified: wasUnified, mayBeUnseen: true)
    }

    private func recognize(
        _ proposals: [(id: String, revisions: [VersionProposal.Revision])], wasUnified: Bool, mayBeUnseen: Bool
    ) async throws {
        guard scope == .collection(.default), !proposals.isEmpty else { return }
        let keyspace = self
        let found = try await store.read(as: share) { snapshot in
            let visibility = Visibility(rights: try keyspace.rights(in: snapshot), snapshot: snapshot)
            let own = SourceID(try snapshot.uuid)
            return try proposals.contains { try keyspace.recognized($0.id, $0.revisions, wasUnified, own, visibility, mayBeUnseen) != nil }
        }
        guard found else { return }
        try await store.write { transaction in
            let visibility = Visibility(rights: try keyspace.rights(in: transaction), snapshot: transaction)
            let own = SourceID(try transaction.uuid)
            for (id, revisions) in proposals {
                guard let document = try keyspace.recognized(id, revisions, wasUnified, own, visibility, mayBeUnseen) else { continue }
                // No feed tells of it: nothing has left the collection.
                try transaction.setDeparture(DepartureRecord(collection: .default, id: id, document: document, sequence: .zero))
            }
        }
    }

    private func recognized(
        _ id: String, _ revisions: [VersionProposal.Revision], _ wasUnified: Bool, _ own: SourceID?, _ visibility: Visibility,
        _ mayBeUnseen: Bool
    ) throws -> DocumentKey? {
        let snapshot = visibility.snapshot
        guard try snapshot.document(in: .default, id: id) == nil, try snapshot.departure(from: .default, id: id) == nil,
            let document = try snapshot.document(unifiedID: id), let key = document.key, document.collection != .default
        else { return nil }
        let isSeen = try visibility.sees(key, in: document.collection)
        guard isSeen || mayBeUnseen else { return nil }
        let version = try snapshot.version(of: key)?.vector
        let mayBeCopied = wasUnified || document.flags.contains(.routed)
        let isKnown = revisions.contains { revision in
            switch revision {
            case .tree(let revision): mayBeCopied && document.tree.lookup(modern: revision) != nil
            // Times of this database can be guessed. Who may not see the document has to name a version of it to the letter.
            case .version(let vector): version?.shares(with: vector, own: isSeen ? own : nil) ?? false
            }
        }
        return isKnown ? key : nil
    }
}

extension RevisionWrite {
    /// The revision, and those that it says to follow.
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
    /// Whether a vector names a version of this one. Of this database's versions an older one will do: it gives a document's to nobody else's.
    fileprivate func shares(with vector: VersionVector, own: SourceID?) -> Bool {
        vector.all.contains { version in
            all.contains(version) || version.source == own && contains(version)
        }
    }
}
