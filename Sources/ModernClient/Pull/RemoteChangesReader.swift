import Documents
import Gateway
import ModernProtocol
import Storage

/// Compares rows of the server's feed with what is here.
struct RemoteChangesReader: Sendable {
    /// What a row comes to.
    struct Finding: Sendable {
        let verdict: PullSession.Verdict

        /// What the server calls its revision; `nil` if that cannot be read.
        var name: RevisionName?

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

    let subprotocol: Subprotocol

    func read(_ rows: [RemoteChange], in snapshot: KeyspaceSnapshot) throws -> [Finding] {
        try rows.map { row in
            if row.isRemoved { return Finding(verdict: .removed) }
            guard (try? DocumentID.validate(row.id)) != nil, let name = row.name(subprotocol) else { return Finding(verdict: .refused) }
            guard let document = try snapshot.document(row.id, followingMoves: true) else {
                return Finding(verdict: .wanted(ancestors: []), name: name)
            }
            guard let standing = try standing(of: name, in: document, snapshot) else {
                return Finding(verdict: .wanted(ancestors: try known(of: document, before: name, snapshot)), name: name)
            }
            return Finding(
                verdict: .known, name: name, sequence: document.localSequence(in: snapshot.keyspace), standing: standing)
        }
    }

    /// What the server's revision is here; `nil` if it is not here.
    private func standing(of name: RevisionName, in document: DocumentView, _ snapshot: KeyspaceSnapshot) throws -> Standing? {
        switch name {
        case .tree(let revision): document.tree.lookup(modern: revision).map { document.standing(of: $0.id) }
        case .version(let version):
            switch try snapshot.standing(of: version, in: document) {
            case .winner: .winner
            case .settled: .settled
            case .unknown: nil
            }
        }
    }

    private func known(of document: DocumentView, before name: RevisionName, _ snapshot: KeyspaceSnapshot) throws -> [RevisionName] {
        switch name {
        case .tree(let revision): document.tree.possibleAncestors(of: revision, limit: ancestors).map { .tree($0.modernAlias) }
        case .version: try snapshot.names(of: document)
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
