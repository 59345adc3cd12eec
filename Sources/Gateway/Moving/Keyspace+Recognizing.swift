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
///
/// An app whose last replication was one of the unified keyspace may also have a document that conflicts with the one of its ID, because it has not
/// resolved the conflict or only pushes. Its revisions are in no tree here. As before, the conflict is the app's to resolve.
extension Keyspace {
    /// Records which of these documents have other places than the client's. Later writes to them here are applied at those places, as for moved
    /// documents.
    ///
    /// - Parameters:
    ///   - proposals: the IDs that a client proposes, and its revisions.
    ///   - past: whether the client's default collection has been replicated with the unified keyspace.
    package func recognize(_ proposals: [(id: String, revisions: [VersionProposal.Revision])], past: UnifiedPast) async throws {
        // A document in conflict has no proof of its own before its history arrives, with which it may be an edit.
        try await recognize(proposals.map { Candidate(id: $0.id, revisions: $0.revisions) }, past == .last ? .earlier : past)
    }

    /// Does the same for incoming revisions. They contain their ancestors; a proposal has no parent after a reset of the checkpoint (LiteCore).
    ///
    /// The user may have no access to the document, because users write into channels of others. This reveals nothing: the incoming revision is
    /// already in the document.
    package func recognize(_ writes: [RevisionWrite], past: UnifiedPast) async throws {
        let all = writes.map { Candidate(id: $0.id, revisions: $0.lineage, allowsInvisible: true) }
        // A revision without ancestors proves no more than its proposal, which was sufficient for a visible document.
        let shown = principal == .administrator && past != .last ? all.filter { $0.revisions.count > 1 } : all
        try await recognize(shown, past)
    }

    /// A document of the client's default collection.
    private struct Candidate {
        let id: String
        let revisions: [VersionProposal.Revision]
        var allowsInvisible = false
    }

    private func recognize(_ proposals: [Candidate], _ past: UnifiedPast) async throws {
        guard scope == .collection(.default), !proposals.isEmpty else { return }
        let keyspace = self
        let found = try await store.read(as: share) { snapshot in
            let visibility = Visibility(rights: try keyspace.rights(in: snapshot), snapshot: snapshot)
            let own = SourceID(try snapshot.uuid)
            try keyspace.announceLookups(of: proposals.map(\.id), to: snapshot, with: keyspace.details(.versions, for: visibility.rights))
            return try proposals.contains { try keyspace.recognized($0, past, own, visibility) != nil }
        }
        guard found else { return }
        try await store.write { transaction in
            let visibility = Visibility(rights: try keyspace.rights(in: transaction), snapshot: transaction)
            let own = SourceID(try transaction.uuid)
            try keyspace.announceLookups(of: proposals.map(\.id), to: transaction, with: .versions)
            for proposal in proposals {
                guard let document = try keyspace.recognized(proposal, past, own, visibility) else { continue }
                // Sequence zero: no feed announces it, because nothing has left the collection.
                try transaction.setDeparture(
                    DepartureRecord(collection: .default, id: proposal.id, document: document, sequence: .zero))
            }
        }
    }

    private func recognized(
        _ proposal: Candidate, _ past: UnifiedPast, _ own: SourceID?, _ visibility: Visibility
    ) throws -> DocumentKey? {
        let (snapshot, id) = (visibility.snapshot, proposal.id)
        guard try snapshot.document(in: .default, id: id) == nil, try snapshot.departure(from: .default, id: id) == nil,
            let document = try snapshot.document(unifiedID: id), let key = document.key
        else { return nil }
        let isSeen = try visibility.sees(key, in: document.collection)
        guard isSeen || proposal.allowsInvisible else { return nil }
        if past == .last, isSeen { return key }
        let version = try snapshot.version(of: key)?.vector
        let mayBeCopied = past != .none || !document.flags.isDisjoint(with: [.routed, .qualified])
        let isKnown = proposal.revisions.contains { revision in
            switch revision {
            case .tree(let revision): mayBeCopied && document.tree.lookup(modern: revision) != nil
            // This database's version times can be guessed, so a user without access to the document has to send one of its versions exactly.
            case .version(let vector): version?.shares(with: vector, own: isSeen ? own : nil) ?? false
            }
        }
        return isKnown ? key : nil
    }
}

/// Whether an app has replicated its default collection with the unified keyspace, before it named collections.
package enum UnifiedPast: Sendable {
    case none
    /// It has replicated the default collection alone since then.
    case earlier
    /// It has not replicated the default collection alone yet, so each of its documents may come from the unified keyspace.
    case last
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
