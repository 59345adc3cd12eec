public import Documents
import Storage

extension Keyspace {
    /// Which of these revisions are wanted, by the rule that 2.x+ clients push by: a revision has to build on the winner.
    public func answer(_ proposals: [Proposal]) async throws -> [ProposalAnswer] {
        try await recordDevice()
        let keyspace = self
        return try await readEach(proposals) { try keyspace.answer($0, in: $1) }
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

    /// What is missing here of revisions that a client has, by document.
    public func difference(_ revisions: [(id: String, revisions: [RevisionID])]) async throws -> [(
        id: String, difference: RevisionsDifference
    )] {
        try await recordDevice()
        let keyspace = self
        return try await readEach(revisions) { asked, visibility in
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

    /// Where no leaf is older, the newest older revision: who pushes a branch need not send again what was attached before it. Its attachments have
    /// to be here still, so only one will do whose body is.
    private func keptAncestor(of id: RevisionID, in document: DocumentRecord, _ visibility: Visibility) throws -> RevisionID? {
        try document.tree.revisions(before: id, limit: Self.ancestorsLookedAt).first { candidate in
            guard try visibility.sees(candidate, of: document) else { return false }
            return try visibility.snapshot.body(of: candidate, in: document) != nil
        }
    }

    /// Of which older revisions is looked whether their bodies are kept.
    private static var ancestorsLookedAt: Int { 3 }

    /// A document that may be talked about: whoever may not see it is told the same as if it were not there.
    func visible(_ id: String, in visibility: Visibility) throws -> DocumentRecord? {
        guard let document = try locate(id, in: visibility.snapshot, followingMoves: true), let key = document.key,
            try visibility.sees(key, in: document.collection)
        else { return nil }
        return document
    }
}

/// A revision that a 2.x+ client wants to push, and the one it builds on (`proposeChanges`).
public struct Proposal: Sendable {
    public let id: String
    public let revision: RevisionID
    public let parent: RevisionID?

    public init(id: String, revision: RevisionID, parent: RevisionID?) {
        self.id = id
        self.revision = revision
        self.parent = parent
    }
}

/// Whether a proposed revision is wanted.
public enum ProposalAnswer: Sendable, Equatable {
    /// Send it.
    case wanted
    /// It is here already.
    case known
    /// The winner here is another one.
    case conflict(current: RevisionID)
}

/// What is missing here of revisions that a client has (`_revs_diff`).
public struct RevisionsDifference: Sendable, Equatable {
    public let missing: [RevisionID]

    /// Leaves of the document here that may be ancestors of the missing ones; where there is none, the newest older revision whose body is kept.
    public let possibleAncestors: [RevisionID]

    public init(missing: [RevisionID], possibleAncestors: [RevisionID]) {
        self.missing = missing
        self.possibleAncestors = possibleAncestors
    }
}
