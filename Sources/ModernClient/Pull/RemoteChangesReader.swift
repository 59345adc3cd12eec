import Documents
import Gateway
import ModernProtocol
import Storage

/// Compares rows of the server's feed with the local database.
struct RemoteChangesReader: Sendable {
    /// The result of comparing a row.
    struct Finding: Sendable {
        let status: PullSession.RowStatus

        /// The server's name for the revision; `nil` if it is invalid.
        var name: RevisionName?

        /// The document's local sequence, if the server's revision is stored.
        var sequence: Int64?

        /// The local state of the server's revision, if it is stored.
        var state: RevisionState?
    }

    /// The local state of a stored revision.
    enum RevisionState: Sendable {
        /// The document's winner.
        case winner
        /// An ancestor of the winner, or a leaf of a deleted document.
        case settled
        /// A losing branch.
        case loser
    }

    /// The maximum number of ancestors per row.
    let ancestors: Int

    let subprotocol: Subprotocol

    func read(_ rows: [RemoteChange], in snapshot: KeyspaceSnapshot) throws -> [Finding] {
        try rows.map { row in
            if row.isRemoved { return Finding(status: .removed) }
            guard (try? DocumentID.validate(row.id)) != nil, let name = row.name(subprotocol) else { return Finding(status: .refused) }
            guard let document = try snapshot.document(row.id, followingMoves: true) else {
                return Finding(status: .wanted(ancestors: []), name: name)
            }
            guard let state = try state(of: name, in: document, snapshot) else {
                return Finding(status: .wanted(ancestors: try known(of: document, before: name, snapshot)), name: name)
            }
            return Finding(
                status: .known, name: name, sequence: document.localSequence(in: snapshot.keyspace), state: state)
        }
    }

    /// The local state of the server's revision; `nil` if it is not stored.
    private func state(of name: RevisionName, in document: DocumentView, _ snapshot: KeyspaceSnapshot) throws -> RevisionState? {
        switch name {
        case .tree(let revision): document.tree.lookup(modern: revision).map { document.state(of: $0.id) }
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
    fileprivate func state(of revision: RevisionID) -> RemoteChangesReader.RevisionState {
        if revision == winner { return .winner }
        return isDeleted || tree.isAncestor(revision, of: winner) ? .settled : .loser
    }

    /// The document's sequence in a keyspace's feed.
    func localSequence(in keyspace: Keyspace) -> Int64 {
        (keyspace.scope == .unified ? record.sequence ?? record.collectionSequence : record.collectionSequence).value
    }
}
