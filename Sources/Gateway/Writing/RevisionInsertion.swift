import Documents
import Storage

/// How a revision joins a document's tree, by the rules of its database.
struct RevisionInsertion {
    let database: Database

    /// Adds the revision to the tree, or finds it there; refuses it if it is a conflict that nobody wants.
    ///
    /// - Parameter version: the document's last version, for a write that has one.
    func grow(
        _ tree: inout RevisionTree, with write: RevisionWrite, winner: RevisionID?, version: VersionRecord?
    ) throws -> (RevisionID, isNew: Bool) {
        switch write.kind {
        case .replicated(let history, let conflicts):
            return try ReplicatedRevision(
                history: history, isDeleted: write.isDeleted, conflicts: conflicts, policy: database.configuration.conflicts
            )
            .add(to: &tree, winner: winner, id: write.id)
        case .versioned(let made):
            return try VersionedRevision(history: made.history, ancestry: made.tree, isServers: made.isNaming, isDeleted: write.isDeleted)
                .add(to: &tree, winner: winner, version: version, id: write.id)
        case .edit(let parent):
            return (try EditedRevision(parent: parent, write: write).add(to: &tree, winner: winner), true)
        }
    }
}

/// A revision that was made elsewhere, with its ancestors: how it joins a document's tree.
struct ReplicatedRevision {
    /// Newest first, the revision itself included.
    let history: [RevisionID]
    let isDeleted: Bool
    let conflicts: RevisionWrite.Conflicts
    let policy: ConflictPolicy

    func add(to tree: inout RevisionTree, winner: RevisionID?, id: String) throws -> (RevisionID, isNew: Bool) {
        let history = ownNames(in: tree)
        guard let revision = history.first else {
            throw GatewayError(.badRequest, "The revision of \(id) has an empty history")
        }
        if tree.contains(revision) { return (revision, false) }
        if let winner { try check(history, in: tree, winner: winner, id: id) }
        _ = try tree.merge(history, isDeleted: isDeleted)
        return (revision, true)
    }

    /// 2.x+ clients know foreign revision IDs by their aliases; the tree has them under their own names.
    private func ownNames(in tree: RevisionTree) -> [RevisionID] {
        switch conflicts {
        case .branch, .follow: return history
        case .refuse, .accept: break
        }
        return history.map { tree.lookup(modern: $0)?.id ?? $0 }
    }

    private func check(_ history: [RevisionID], in tree: RevisionTree, winner: RevisionID, id: String) throws {
        let ancestor = history.first { tree.contains($0) }
        if ancestor == winner { return }
        let winnerIsDeleted = tree.node(winner)?.isDeleted ?? false
        switch conflicts {
        case .accept: return
        case .follow(let other):
            if let ancestor, tree.node(ancestor)?.isLeaf == true, other.map({ tree.contains($0) }) ?? true { return }
        case .refuse:
            // A document that is deleted may be created anew.
            if winnerIsDeleted, ancestor == nil { return }
        case .branch:
            guard policy == .refuse else { return }
            if winnerIsDeleted, ancestor == nil, !isDeleted { return }
            // A tombstone on a live leaf closes a branch, which is never a conflict.
            if isDeleted, let ancestor, let node = tree.node(ancestor), node.isLeaf, !node.isDeleted { return }
        }
        throw GatewayError(
            .conflict, "Revision \(history[0]) of \(id) does not descend from the winning revision", current: winner.modernAlias)
    }
}

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

/// A revision that a script or an application makes here, on top of one that it has read.
struct EditedRevision {
    let parent: RevisionID?
    let write: RevisionWrite

    func add(to tree: inout RevisionTree, winner: RevisionID?) throws -> RevisionID {
        let base = try base(in: tree, winner: winner)
        let revision = try RevisionDigest.syncGateway(parent: base, body: write.body, isDeleted: write.isDeleted)
        guard !tree.contains(revision) else {
            throw GatewayError(.conflict, "Document update conflict", current: winner)
        }
        if let base {
            try tree.insert(child: revision, of: base, isDeleted: write.isDeleted)
        } else {
            _ = try tree.merge([revision], isDeleted: write.isDeleted)
        }
        return revision
    }

    /// The leaf that the new revision follows. Without a parent only a document that is not there, or a tombstone, can be written.
    private func base(in tree: RevisionTree, winner: RevisionID?) throws -> RevisionID? {
        guard let winner else {
            guard parent == nil else { throw GatewayError(.conflict, "Document update conflict") }
            return nil
        }
        guard let parent else {
            guard tree.node(winner)?.isDeleted ?? false else {
                throw GatewayError(.conflict, "Document exists", current: winner)
            }
            return winner
        }
        guard let node = tree.node(parent), node.isLeaf else {
            throw GatewayError(.conflict, "Document update conflict", current: winner)
        }
        return parent
    }
}
