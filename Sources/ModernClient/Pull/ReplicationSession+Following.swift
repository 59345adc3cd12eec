import Documents
import Gateway
import Storage

/// Pulls without a push, which do not read the local feed: what they know of edits here.
///
/// LiteCore marks in each document which revision the server had last. Here the pull remembers where in the local feed the document stood when it was
/// as the server had it; an edit gives it another place.
extension ReplicationSession {
    /// Sees to documents of which the server's revision is here already. The winner was not edited here; one that has lost here wins on the server, which
    /// has switched branches, or is in conflict with an edit.
    func follow(_ rows: [RemoteChange], _ findings: [RemoteChangesReader.Finding], _ collection: CollectionReplication) async throws {
        guard collection.push == nil else { return }
        for (row, finding) in zip(rows, findings) {
            guard let name = finding.name, let sequence = finding.sequence else { continue }
            switch finding.standing {
            case .winner: collection.followed.insert(sequence)
            case .loser:
                guard let revision = name.tree else { continue }
                do {
                    try await resolve(row.id, with: revision, collection)
                    try await noteFollowed([(row.id, name)], collection)
                } catch let error as ConflictFailure {
                    tellPulled(row.id, [], error.error, collection)
                    note(.pull, row.id, row.revision, error.error, collection)
                }
            case .settled, nil: break
            }
        }
    }

    /// Notes which documents have become what the server has.
    ///
    /// - Parameter pulled: The server's revisions of documents.
    func noteFollowed(_ pulled: [(id: String, name: RevisionName)], _ collection: CollectionReplication) async throws {
        guard collection.push == nil, !pulled.isEmpty else { return }
        let keyspace = collection.keyspace
        let sequences = try await keyspace.read { snapshot in
            try pulled.compactMap { item -> Int64? in
                guard let document = try snapshot.document(item.id, followingMoves: true), try snapshot.wins(item.name, of: document)
                else { return nil }
                return document.localSequence(in: keyspace)
            }
        }
        for sequence in sequences { collection.followed.insert(sequence) }
    }
}

extension KeyspaceSnapshot {
    /// Whether a revision has won here.
    fileprivate func wins(_ name: RevisionName, of document: DocumentView) throws -> Bool {
        switch name {
        case .tree(let revision): document.winner.modernAlias == revision.modernAlias
        case .version(let version): if case .winner = try standing(of: version, in: document) { true } else { false }
        }
    }
}
