/// The history of a version in a message: its vector, followed by the last revision tree IDs from before the database's upgrade to versions.
package struct VersionHistory: Hashable, Sendable {
    package let vector: VersionVector

    /// The revision tree IDs, newest first; empty for a document that never had a revision tree.
    package let legacy: [RevisionID]

    package init(vector: VersionVector, legacy: [RevisionID] = []) {
        self.vector = vector
        self.legacy = legacy
    }

    /// Parses the properties `rev` and `history`.
    ///
    /// `history` is `pv, pv` or `mv, mv; pv`, followed by revision tree IDs, with or without spaces.
    ///
    /// - Throws: ``DocumentError`` `badVersion`.
    package init(rev: String, history: String?) throws(DocumentError) {
        guard let current = Version(rev) else { throw VersionList.bad(rev, "it is not a version") }
        let history = history ?? ""
        let parts = try VersionList.halves(history)
        let first = try VersionList(parts.first)
        guard let rest = parts.second else {
            vector = try VersionVector(current, merged: [], previous: first.versions, in: history)
            legacy = first.revisions
            return
        }
        guard first.revisions.isEmpty else { throw VersionList.bad(history, "the part before the semicolon has the ID of a tree revision") }
        let second = try VersionList(rest)
        vector = try VersionVector(current, merged: first.versions, previous: second.versions, in: history)
        legacy = second.revisions
    }
}
