/// What a message says of a version: its vector, and behind it the last IDs of the revision tree that the document had before its database
/// was upgraded to versions.
public struct VersionHistory: Hashable, Sendable {
    public let vector: VersionVector

    /// The newest first; empty for a document that never had one.
    public let legacy: [RevisionID]

    public init(vector: VersionVector, legacy: [RevisionID] = []) {
        self.vector = vector
        self.legacy = legacy
    }

    /// Reads the properties `rev` and `history`: `pv, pv`, or `mv, mv; pv`, with IDs of a revision tree at the end, with or without spaces.
    ///
    /// - Throws: ``DocumentError`` `badVersion`.
    public init(rev: String, history: String?) throws(DocumentError) {
        guard let current = Version(rev) else { throw VersionList.bad(rev, "it is no version") }
        let history = history ?? ""
        let parts = try VersionList.halves(history)
        let first = try VersionList(parts.first)
        guard let rest = parts.second else {
            vector = try VersionVector(current, merged: [], previous: first.versions, in: history)
            legacy = first.revisions
            return
        }
        guard first.revisions.isEmpty else { throw VersionList.bad(history, "the ID of a tree's revision stands before the semicolon") }
        let second = try VersionList(rest)
        vector = try VersionVector(current, merged: first.versions, previous: second.versions, in: history)
        legacy = second.revisions
    }
}
