import Documents
import Gateway
import Storage

/// Determines the changes of the local feed to push to a server with versions: the winners, each with a version that covers all earlier
/// local versions.
struct LocalVersionsReader: Sendable {
    private static let ancestors = 20

    /// The server's revisions, as far as they are known.
    let remote: [String: RevisionName]

    /// Whether nothing has been pushed before. The first push assumes that the server has nothing.
    let isFirstPush: Bool

    /// - Parameter versions: The stored versions of the rows.
    func read(_ rows: [ChangeRow], _ versions: [VersionVector?], in snapshot: KeyspaceSnapshot) throws -> [LocalFinding] {
        try zip(rows, versions).map { row, version in
            guard !row.isRemoval, !DocumentID.isDesign(row.id), let winner = RevisionID(row.revision), let version else { return .passed }
            var change = LocalChange(
                sequence: row.sequence.value, id: row.id, revision: winner.modernAlias, isDeleted: row.isDeleted, size: row.bodySize)
            change.version = version
            if let error = ReplicatorError(impossible: change) { return change.isDeleted ? .unchanged : .refused(change, error) }
            if remote[row.id] == change.name { return .unchanged }
            // Avoids reading most documents.
            if remote[row.id] == nil, isFirstPush || winner.generation == 1 { return .change(change) }
            guard let document = try snapshot.document(row.id), document.winner == winner else { return .passed }
            return try find(change, document, in: snapshot)
        }
    }

    /// Re-examines a change with the server's revision known.
    func read(_ change: LocalChange, in snapshot: KeyspaceSnapshot) throws -> LocalFinding {
        guard let document = try snapshot.document(change.id) else { return .passed }
        guard document.winner.modernAlias == change.revision, let version = try snapshot.version(of: document) else {
            return .awaited(change)
        }
        var change = change
        change.version = version
        return try find(change, document, in: snapshot)
    }

    private func find(_ change: LocalChange, _ document: DocumentView, in snapshot: KeyspaceSnapshot) throws -> LocalFinding {
        var found = change
        found.ancestors = document.tree.history(of: document.winner, limit: Self.ancestors + 1).dropFirst().map(\.modernAlias)
        switch remote[change.id] {
        case nil:
            // The server most probably has the former local version.
            if !isFirstPush { found.parent = try snapshot.formerVersion(of: document).map { .version($0) } }
        case .version(let version):
            if version == change.version?.current { return .unchanged }
            guard found.follows(.version(version)) else { return .awaited(change) }
            found.parent = .version(version)
        case .tree(let revision):
            // A revision from before the server supported versions.
            guard let node = document.tree.lookup(modern: revision) else { return .awaited(change) }
            if node.id == document.winner || node.isDeleted && document.isDeleted { return .unchanged }
            if !node.isDeleted, !document.isDeleted, !document.tree.takesIn(node.id, by: document.winner),
                hasLiveEnd(node.id, document.tree)
            {
                return .conflict(change, remote: revision)
            }
            found.parent = .tree(revision)
        }
        return .change(found)
    }

    /// Whether a revision has a live leaf among its descendants.
    private func hasLiveEnd(_ revision: RevisionID, _ tree: RevisionTree) -> Bool {
        tree.leaves.contains { !$0.isDeleted && tree.isAncestor(revision, of: $0.id) }
    }
}
