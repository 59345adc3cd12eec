import Documents
import Storage

/// A revision that has a version: how it joins a document's tree, where clients that know no versions find it.
struct VersionedRevision {
    let history: VersionHistory

    /// The revision and its ancestors in the tree of who sends it, the newest first; empty if it was not told.
    var ancestry: [RevisionID] = []

    /// Whether a server sends it, whose tree is to be the same here.
    var isServers = false
    let isDeleted: Bool

    /// - Parameters:
    ///   - winner: what has won until now; `nil` for a new document.
    ///   - version: the last version that the document is known under.
    /// - Returns: The revision that the version is of. One that is not new may have had no version, or another one.
    func add(to tree: inout RevisionTree, winner: RevisionID?, version: VersionRecord?, id: String) throws -> (RevisionID, isNew: Bool) {
        guard let winner else {
            let revision = try ancestry.first ?? RevisionDigest.version(parent: history.legacy.first, version: history.vector.current)
            _ = try tree.merge(ancestry.isEmpty ? [revision] + history.legacy.prefix(1) : ancestry, isDeleted: isDeleted)
            return (revision, true)
        }
        let ancestry = ancestry.map { tree.lookup(modern: $0)?.id ?? $0 }
        // What is the same in both trees is no conflict, under whatever versions the two sides know it.
        if let revision = ancestry.first, tree.isAncestor(revision, of: winner) || revision == winner { return (revision, false) }
        let document = VersionedDocument(winner: winner, isDeleted: tree.node(winner)?.isDeleted ?? false, version: version)
        let follows = ancestry.contains(winner)
        // Who tells the tree repeats what it was told to be the last ID before versions, which it may not have.
        let told = ancestry.isEmpty ? history : VersionHistory(vector: history.vector)
        switch document.verdict(on: told, isDeletion: isDeleted) {
        case .known: return (winner, false)
        case .conflict where !follows: throw GatewayError(.conflict, "Document revision conflict")
        case .wanted, .conflict: break
        }
        if follows, let revision = ancestry.first {
            _ = try tree.merge(ancestry, isDeleted: isDeleted)
            return (revision, true)
        }
        if isServers, let revision = ancestry.first, !tree.contains(revision) {
            // The server has gone on from another branch. Where that does not win here as well, ours has to be closed.
            _ = try tree.merge(ancestry, isDeleted: isDeleted)
            guard tree.winner?.id == revision else { throw GatewayError(.conflict, "Document revision conflict") }
            return (revision, true)
        }
        let revision = try RevisionDigest.version(parent: winner, version: history.vector.current)
        guard !tree.contains(revision) else { return (revision, false) }
        try tree.insert(child: revision, of: winner, isDeleted: isDeleted)
        return (revision, true)
    }
}
