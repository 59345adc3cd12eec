import Documents

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
