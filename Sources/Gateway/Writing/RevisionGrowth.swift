import Documents

/// How a revision joins a document's tree, by the rules of its database.
struct RevisionGrowth {
    let database: Database

    /// Adds the revision to the tree, or finds it there; refuses it if it is a conflict that nobody wants.
    func grow(_ tree: inout RevisionTree, with write: RevisionWrite, winner: RevisionID?) throws -> (RevisionID, isNew: Bool) {
        switch write.kind {
        case .replicated(let history, let conflicts):
            return try ReplicatedRevision(
                history: history, isDeleted: write.isDeleted, conflicts: conflicts, policy: database.configuration.conflicts
            )
            .add(to: &tree, winner: winner, id: write.id)
        case .edit(let parent):
            return (try EditedRevision(parent: parent, write: write).add(to: &tree, winner: winner), true)
        }
    }
}
