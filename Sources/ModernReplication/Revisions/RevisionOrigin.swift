import Documents
import Gateway

/// What a client's revisions are named by.
enum RevisionOrigin: Sendable {
    /// IDs of revision trees.
    case trees

    /// Versions; and IDs of revision trees where a database was upgraded, and was not pushed whole before.
    ///
    /// The value says where the client has them, if it has told who it is.
    case versions(ClientCopy?)

    /// How a pushed revision is written.
    ///
    /// - Throws: `DocumentError` if it is none.
    func kind(of revision: String, history: String?) throws -> RevisionWrite.Kind {
        if case .versions(let copy) = self, RevisionID(revision) == nil {
            return .versioned(VersionedWrite(history: try VersionHistory(rev: revision, history: history), copy: copy))
        }
        return .replicated(history: try RevisionHistory.parse(rev: revision, history: history), conflicts: .refuse)
    }
}
