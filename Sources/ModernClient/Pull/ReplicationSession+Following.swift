import Documents
import Gateway
import Storage

/// Detection of local edits in pulls without a push, which do not read the local feed.
///
/// LiteCore marks in each document the last revision of the server. This pull instead records the local sequence at which the document
/// equalled the server's; an edit changes the document's sequence.
extension ReplicationSession {
    /// Processes documents whose server revision is already stored. A winner has no local edits. A losing branch wins on the server: either
    /// the server has switched branches, or the document is in conflict with a local edit.
    func follow(_ rows: [RemoteChange], _ findings: [RemoteChangesReader.Finding], _ collection: CollectionReplication) async throws {
        guard collection.push == nil else { return }
        for (row, finding) in zip(rows, findings) {
            guard let name = finding.name, let sequence = finding.sequence else { continue }
            switch finding.state {
            case .winner: collection.followed.insert(sequence)
            case .loser:
                guard let revision = name.tree else { continue }
                do {
                    try await resolve(row.id, with: revision, collection)
                    try await recordFollowed([(row.id, name)], collection)
                } catch let error as ConflictFailure {
                    reportPulled(row.id, [], error.error, collection)
                    recordOutcome(.pull, row.id, row.revision, error.error, collection)
                }
            case .settled, nil: break
            }
        }
    }

    /// Records the documents whose winner is the server's revision.
    ///
    /// - Parameter pulled: The server's revisions of documents.
    func recordFollowed(_ pulled: [(id: String, name: RevisionName)], _ collection: CollectionReplication) async throws {
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
    /// Whether a revision is the local winner.
    fileprivate func wins(_ name: RevisionName, of document: DocumentView) throws -> Bool {
        switch name {
        case .tree(let revision): document.winner.modernAlias == revision.modernAlias
        case .version(let version): if case .winner = try standing(of: version, in: document) { true } else { false }
        }
    }
}
