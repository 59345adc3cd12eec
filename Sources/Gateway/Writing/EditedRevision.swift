import Documents

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
