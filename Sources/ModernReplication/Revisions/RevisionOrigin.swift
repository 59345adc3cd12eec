import Documents
import Gateway

/// What a client's revisions are named by.
enum RevisionOrigin: Sendable {
    /// IDs of revision trees.
    case trees

    /// Versions; and IDs of revision trees where a database was upgraded, and was not pushed whole before.
    ///
    /// - Parameter client: the database's UUID, if it was told.
    case versions(client: String?)

    /// How a pushed revision is written.
    ///
    /// - Throws: `DocumentError` if it is none.
    func kind(of revision: String, history: String?) throws -> RevisionWrite.Kind {
        if case .versions(let client) = self, RevisionID(revision) == nil {
            return .versioned(VersionedWrite(history: try VersionHistory(rev: revision, history: history), client: client))
        }
        return .replicated(history: try RevisionHistory.parse(rev: revision, history: history), conflicts: .refuse)
    }
}
