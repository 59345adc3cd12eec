public import Documents
import Storage

extension KeyspaceSnapshot {
    /// The version of the revision that has won, if it has one.
    public func version(of document: DocumentView) throws -> VersionVector? {
        guard let key = document.record.key else { return nil }
        return VersionedDocument(document.record, version: try store.version(of: key)).current
    }

    /// The revision that a peer means by a name; `nil` for a version that is not remembered.
    public func revision(named name: RevisionName, of document: DocumentView) throws -> RevisionID? {
        switch name {
        case .tree(let revision): return revision
        case .version(let version):
            guard let key = document.record.key else { return nil }
            return try store.version(of: key)?.revision(of: version)
        }
    }

    /// What a client's database remembers of a document from before it was upgraded to versions. It has to stand at the end of each history that
    /// the client gets, or the client takes the revision for a conflict.
    public func legacyRevision(of document: DocumentView, copy: ClientCopy) throws -> RevisionID? {
        guard let key = document.record.key else { return nil }
        return try store.legacyRevision(of: key, client: copy.name)
    }
}
