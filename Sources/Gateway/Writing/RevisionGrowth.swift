import Documents
import Storage

/// How a revision joins a document's tree, by the rules of its database.
struct RevisionGrowth {
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
