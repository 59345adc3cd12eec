package import Documents
import Storage

extension Keyspace {
    /// Evaluates the proposals of 2.x+ clients: a revision is wanted if it descends from the winner.
    package func answer(_ proposals: [Proposal]) async throws -> [ProposalAnswer] {
        try await recordDevice()
        let keyspace = self
        return try await readEach(proposals, id: \.id) { try keyspace.answer($0, in: $1) }
    }

    private func answer(_ proposal: Proposal, in visibility: Visibility) throws -> ProposalAnswer {
        guard let document = try visible(proposal.id, in: visibility) else { return .wanted }
        return answer(proposal, about: document)
    }

    func answer(_ proposal: Proposal, about document: DocumentRecord) -> ProposalAnswer {
        if document.tree.lookup(modern: proposal.revision) != nil { return .known }
        if let parent = proposal.parent, document.tree.lookup(modern: parent)?.id == document.winner { return .wanted }
        if proposal.parent == nil, document.flags.contains(.deleted) { return .wanted }
        return .conflict(current: document.winner.modernAlias)
    }

    /// The missing revisions among a client's revisions, by document.
    package func difference(_ revisions: [(id: String, revisions: [RevisionID])]) async throws -> [(
        id: String, difference: RevisionsDifference
    )] {
        try await recordDevice()
        let keyspace = self
        return try await readEach(revisions, id: \.id) { asked, visibility in
            let (id, revisions) = asked
            guard let document = try keyspace.visible(id, in: visibility) else {
                return (id, RevisionsDifference(missing: revisions, possibleAncestors: []))
            }
            let missing = revisions.filter { !document.tree.contains($0) }
            guard let highest = missing.max() else { return nil }
            var ancestors = document.tree.possibleAncestors(of: highest, limit: 20)
            if ancestors.isEmpty { ancestors = try keyspace.keptAncestor(of: highest, in: document, visibility).map { [$0] } ?? [] }
            return (id, RevisionsDifference(missing: missing, possibleAncestors: ancestors))
        }
    }

    /// The newest older revision, for a client's revision with no older leaf here: the client need not send attachments from before it again. These
    /// have to be stored, so only a revision with a stored body qualifies.
    private func keptAncestor(of id: RevisionID, in document: DocumentRecord, _ visibility: Visibility) throws -> RevisionID? {
        try document.tree.revisions(before: id, limit: Self.ancestorsLookedAt).first { candidate in
            guard try visibility.sees(candidate, of: document) else { return false }
            return try visibility.snapshot.body(of: candidate, in: document) != nil
        }
    }

    /// The number of older revisions that are checked for a stored body.
    private static var ancestorsLookedAt: Int { 3 }

    /// A document that is visible to the reader. An invisible document gives the same replies as a missing one.
    func visible(_ id: String, in visibility: Visibility) throws -> DocumentRecord? {
        guard let document = try locate(id, in: visibility.snapshot, followingMoves: true), let key = document.key,
            try visibility.sees(key, in: document.collection)
        else { return nil }
        return document
    }
}

/// A revision that a 2.x+ client wants to push, and its parent (`proposeChanges`).
package struct Proposal: Sendable {
    package let id: String
    package let revision: RevisionID
    package let parent: RevisionID?

    package init(id: String, revision: RevisionID, parent: RevisionID?) {
        self.id = id
        self.revision = revision
        self.parent = parent
    }
}

/// The reply to a proposed revision.
package enum ProposalAnswer: Sendable, Equatable {
    /// The client has to send the revision.
    case wanted
    /// The revision is stored already.
    case known
    /// The winner conflicts with the revision.
    case conflict(current: RevisionID)
}

/// The missing revisions among a client's (`_revs_diff`).
package struct RevisionsDifference: Sendable, Equatable {
    package let missing: [RevisionID]

    /// Leaves that may be ancestors of the missing revisions; if there are none, the newest older revision with a stored body.
    package let possibleAncestors: [RevisionID]

    package init(missing: [RevisionID], possibleAncestors: [RevisionID]) {
        self.missing = missing
        self.possibleAncestors = possibleAncestors
    }
}
