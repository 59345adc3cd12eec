import Documents
import Storage

/// Adds revisions to a document's tree, by the rules of its database.
struct RevisionInsertion {
    let database: Database

    /// Adds the revision to the tree, or finds it there; refuses a conflict that is not allowed.
    ///
    /// - Parameter version: the document's last version, for a write with a version.
    func grow(
        _ tree: inout RevisionTree, with write: RevisionWrite, winner: RevisionID?, version: VersionRecord?
    ) throws -> (RevisionID, isNew: Bool) {
        switch write.kind {
        case .replicated(let history, let conflicts):
            return try ReplicatedRevision(
                history: history, isDeleted: write.isDeleted, conflicts: conflicts, policy: database.configuration.conflicts,
                received: write.received
            )
            .add(to: &tree, winner: winner, id: write.id)
        case .versioned(let made):
            return try VersionedRevision(
                history: made.history, ancestry: made.tree, isServers: made.isNaming, isDeleted: write.isDeleted,
                received: write.received
            )
            .add(to: &tree, winner: winner, version: version, id: write.id)
        case .edit(let parent):
            return (try EditedRevision(parent: parent, write: write).add(to: &tree, winner: winner), true)
        }
    }
}

/// Adds a revision of another database, with its ancestors, to a document's tree.
struct ReplicatedRevision {
    /// Newest first, including the revision itself.
    let history: [RevisionID]
    let isDeleted: Bool
    let conflicts: RevisionWrite.Conflicts
    let policy: ConflictPolicy
    var received = RevisionWrite.Receipt.unknown

    func add(to tree: inout RevisionTree, winner: RevisionID?, id: String) throws -> (RevisionID, isNew: Bool) {
        let history = ownNames(in: tree)
        guard let revision = history.first else {
            throw GatewayError(.badRequest, "The revision of \(id) has an empty history")
        }
        if tree.contains(revision) { return (revision, false) }
        if let winner { try check(history, in: tree, winner: winner, id: id) }
        _ = try tree.merge(history, isDeleted: isDeleted, joinsBranches: conflicts == .refuse)
        return (revision, true)
    }

    /// 2.x+ clients have aliases of foreign revision IDs; the tree has the original IDs.
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
            // A deleted document may be created again. A client to which the tombstone is on its way would take it for a later one, and would keep the
            // deletion for ever (LiteCore 3.2.1). It resolves the conflict.
            if winnerIsDeleted, ancestor == nil, received != .revision(winner.modernAlias) { return }
            if history.contains(winner), try joins(history, in: tree, after: winner) { return }
        case .branch:
            guard policy == .refuse else { return }
            if winnerIsDeleted, ancestor == nil, !isDeleted { return }
            // A tombstone on a live leaf closes a branch, which is never a conflict.
            if isDeleted, let ancestor, let node = tree.node(ancestor), node.isLeaf, !node.isDeleted { return }
        }
        throw GatewayError(
            .conflict, "Revision \(history[0]) of \(id) does not descend from the winning revision", current: winner.modernAlias)
    }

    /// Whether the winner is an ancestor of the revision once the history has joined two parts of a branch.
    ///
    /// Without it the client would wait for ever: its pull finds the winner among the ancestors of its own revision, and there is nothing to resolve.
    private func joins(_ history: [RevisionID], in tree: RevisionTree, after winner: RevisionID) throws -> Bool {
        var joined = tree
        _ = try joined.merge(history, isDeleted: isDeleted, joinsBranches: true)
        return joined.isAncestor(winner, of: history[0])
    }
}

/// Adds a revision with a version to a document's tree, for clients without versions.
struct VersionedRevision {
    let history: VersionHistory

    /// The revision and its ancestors in the sender's tree, the newest first; empty if they were not sent.
    var ancestry: [RevisionID] = []

    /// Whether a server sends the revision; the tree here then follows the server's.
    var isServers = false
    let isDeleted: Bool

    var received = RevisionWrite.Receipt.unknown

    /// - Parameters:
    ///   - winner: the previous winner; `nil` for a new document.
    ///   - version: the document's last version.
    /// - Returns: The revision that the version belongs to. If it is not new, it may have had no version, or another one.
    func add(to tree: inout RevisionTree, winner: RevisionID?, version: VersionRecord?, id: String) throws -> (RevisionID, isNew: Bool) {
        guard let winner else {
            let revision = try ancestry.first ?? RevisionDigest.version(parent: history.legacy.first, version: history.vector.current)
            _ = try tree.merge(ancestry.isEmpty ? [revision] + history.legacy.prefix(1) : ancestry, isDeleted: isDeleted)
            return (revision, true)
        }
        let ancestry = ancestry.map { tree.lookup(modern: $0)?.id ?? $0 }
        // A revision in both trees is no conflict, whatever versions the two sides have for it.
        if let revision = ancestry.first, tree.isAncestor(revision, of: winner) || revision == winner { return (revision, false) }
        let document = VersionedDocument(winner: winner, isDeleted: tree.node(winner)?.isDeleted ?? false, version: version)
        let follows = ancestry.contains(winner)
        // A sender that sends its tree repeats the last tree ID that it received, which it may not have itself.
        let history = ancestry.isEmpty ? self.history : VersionHistory(vector: self.history.vector)
        switch document.evaluate(
            history, isDeletion: isDeleted, isServers: !ancestry.isEmpty, isReceiving: received == .revision(winner.modernAlias))
        {
        case .known: return (winner, false)
        case .conflict where !follows: throw GatewayError(.conflict, "Document revision conflict")
        case .wanted, .conflict: break
        }
        if follows, let revision = ancestry.first {
            _ = try tree.merge(ancestry, isDeleted: isDeleted)
            return (revision, true)
        }
        if isServers, let revision = ancestry.first, !tree.contains(revision) {
            // The server has continued another branch. If that does not win here as well, the local branch has to be closed.
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

/// Adds a revision that a script or an application creates here, on top of the one that it has read.
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

    /// The leaf that the new revision follows. Without a parent, the document has to be missing or deleted.
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
