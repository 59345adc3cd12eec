public import Documents
import Storage

extension Keyspace {
    /// Writes revisions, each for itself, in one transaction, and returns when they are durable.
    ///
    /// - Returns: for each revision in order what became of it, or why it was refused.
    /// - Throws: what the store throws: then none of them was written.
    public func write(_ writes: [RevisionWrite]) async throws -> [Result<WriteOutcome, GatewayError>] {
        guard !writes.isEmpty else { return [] }
        let verdicts = try await RouteVerdicts.evaluate(writes, in: self)
        let database = database
        let scope = scope
        return try await store.write { transaction in
            let writer = RevisionWriter(database: database, scope: scope, transaction: transaction)
            return try writes.enumerated().map { index, write in
                do {
                    return .success(try writer.write(write, verdicts: verdicts[index]))
                } catch let error as GatewayError {
                    return .failure(error)
                } catch let error as DocumentError {
                    return .failure(GatewayError(.badRequest, error.message, cause: error))
                }
            }
        }
    }

    /// Writes one revision.
    public func write(_ write: RevisionWrite) async throws -> WriteOutcome {
        guard let result = try await self.write([write]).first else {
            throw GatewayError(.unavailable, "The write had no result")
        }
        return try result.get()
    }

    /// Which of these revisions are wanted, by the rule that 2.x+ clients push by: a revision has to build on the winner.
    public func answer(_ proposals: [Proposal]) async throws -> [ProposalAnswer] {
        let keyspace = self
        return try await store.read { snapshot in
            try proposals.map { try keyspace.answer($0, in: snapshot) }
        }
    }

    private func answer(_ proposal: Proposal, in snapshot: any StoreSnapshot) throws -> ProposalAnswer {
        guard let document = try locate(proposal.id, in: snapshot, followingMoves: true) else { return .wanted }
        if document.tree.lookup(modern: proposal.revision) != nil { return .known }
        if let parent = proposal.parent, document.tree.lookup(modern: parent)?.id == document.winner { return .wanted }
        if proposal.parent == nil, document.flags.contains(.deleted) { return .wanted }
        return .conflict(current: document.winner.modernAlias)
    }

    /// What is missing here of revisions that a client has, by document.
    public func difference(_ revisions: [(id: String, revisions: [RevisionID])]) async throws -> [(
        id: String, difference: RevisionsDifference
    )] {
        let keyspace = self
        return try await store.read { snapshot in
            try revisions.compactMap { id, revisions in
                guard let document = try keyspace.locate(id, in: snapshot, followingMoves: true) else {
                    return (id, RevisionsDifference(missing: revisions, possibleAncestors: []))
                }
                let missing = revisions.filter { !document.tree.contains($0) }
                guard let highest = missing.max() else { return nil }
                let ancestors = document.tree.possibleAncestors(of: highest, limit: 20)
                return (id, RevisionsDifference(missing: missing, possibleAncestors: ancestors))
            }
        }
    }
}
