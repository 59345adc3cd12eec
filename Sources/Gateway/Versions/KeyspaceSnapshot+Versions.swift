public import Documents
import Storage

extension KeyspaceSnapshot {
    /// The version of the revision that has won, if it has one.
    public func version(of document: DocumentView) throws -> VersionVector? {
        guard let key = document.record.key else { return nil }
        return VersionedDocument(document.record, version: try store.version(of: key)).current
    }

    /// What a client's database remembers of a document from before it was upgraded to versions. It has to stand at the end of each history that
    /// the client gets, or the client takes the revision for a conflict.
    public func legacyRevision(of document: DocumentView, client: String) throws -> RevisionID? {
        guard let key = document.record.key else { return nil }
        return try store.legacyRevision(of: key, client: client)
    }
}
