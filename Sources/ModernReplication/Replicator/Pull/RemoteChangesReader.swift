import Documents
import Gateway
import Storage

/// Compares rows of the server's feed with what is here.
struct RemoteChangesReader: Sendable {
    /// What a row comes to.
    struct Finding: Sendable {
        let verdict: PullSession.Verdict

        /// Where the document stands in the local feed, if the server's revision is here.
        var sequence: Int64?

        /// What the server's revision is here, if it is here.
        var standing: Standing?
    }

    /// What a revision is that is here.
    enum Standing: Sendable {
        /// The document's winner.
        case winner
        /// One that the winner builds on, or a live one of a document that is deleted.
        case settled
        /// A branch that has lost here.
        case loser
    }

    /// How many ancestors are named.
    let ancestors: Int

    func read(_ rows: [RemoteChange], in snapshot: KeyspaceSnapshot) throws -> [Finding] {
        try rows.map { row in
            if row.isRemoved { return Finding(verdict: .removed) }
            guard (try? DocumentID.validate(row.id)) != nil, let revision = RevisionID(row.revision) else {
                return Finding(verdict: .refused)
            }
            guard let document = try snapshot.document(row.id, followingMoves: true) else {
                return Finding(verdict: .wanted(ancestors: []))
            }
            if let node = document.tree.lookup(modern: revision) {
                return Finding(
                    verdict: .known, sequence: document.localSequence(in: snapshot.keyspace), standing: document.standing(of: node.id))
            }
            let found = document.tree.possibleAncestors(of: revision, limit: ancestors).map(\.modernAlias)
            return Finding(verdict: .wanted(ancestors: found))
        }
    }
}

extension DocumentView {
    fileprivate func standing(of revision: RevisionID) -> RemoteChangesReader.Standing {
        if revision == winner { return .winner }
        return isDeleted || tree.isAncestor(revision, of: winner) ? .settled : .loser
    }

    /// Where it stands in a keyspace's feed.
    func localSequence(in keyspace: Keyspace) -> Int64 {
        (keyspace.scope == .unified ? record.sequence ?? record.collectionSequence : record.collectionSequence).value
    }
}
