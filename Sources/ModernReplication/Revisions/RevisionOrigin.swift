import BLIP
import Documents
import Gateway

/// What a client's revisions are named by.
enum RevisionOrigin: Sendable {
    /// IDs of revision trees.
    case trees

    /// Versions; and IDs of revision trees where a database was upgraded, and was not pushed whole before.
    ///
    /// The values say where the client has them, if it has told who it is, and whether it is an administrator's.
    case versions(ClientCopy?, isAdministrator: Bool)

    /// How a pushed revision is written.
    ///
    /// - Throws: `DocumentError` if it is none.
    func kind(of revision: String, _ properties: BLIPProperties) throws -> RevisionWrite.Kind {
        let history = properties["history"]
        if case .versions(let copy, let isAdministrator) = self, RevisionID(revision) == nil {
            var made = VersionedWrite(history: try VersionHistory(rev: revision, history: history), copy: copy)
            try TakenAlong.add(properties, to: &made, fromAdministrator: isAdministrator)
            return .versioned(made)
        }
        return .replicated(history: try RevisionHistory.parse(rev: revision, history: history), conflicts: .refuse)
    }
}
