public import Documents
import Storage

extension KeyspaceSnapshot {
    /// The version of the revision that has won, if it has one.
    public func version(of document: DocumentView) throws -> VersionVector? {
        VersionedDocument(document.record, version: try store.lastVersion(of: document.record)).current
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

extension KeyspaceSnapshot {
    /// How a version stands to what a document is here.
    public enum Standing: Sendable {
        /// It is the winner's.
        case winner
        /// The winner takes it in.
        case settled
        case unknown
    }

    public func standing(of version: Version, in document: DocumentView) throws -> Standing {
        guard let last = try store.lastVersion(of: document.record), last.vector.contains(version) else { return .unknown }
        return last.revision == document.winner && last.names.contains(version) ? .winner : .settled
    }

    /// By which names another side may know what has won: its ID in the tree, unless a version of another source names it, and its version.
    public func names(of document: DocumentView) throws -> [RevisionName] {
        let tree = RevisionName.tree(document.winner.modernAlias)
        guard let last = try store.lastVersion(of: document.record), last.revision == document.winner else { return [tree] }
        let isOfTree = VersionedDocument(document.record, version: last).isOfTree(SourceID(try store.uuid))
        return (isOfTree ? [tree] : []) + [.version(last.vector.current)]
    }

    /// The version that a document had before the one that it has.
    public func formerVersion(of document: DocumentView) throws -> Version? {
        guard let key = document.record.key, let last = try store.version(of: key) else { return nil }
        return last.earlier.first { $0.revision != last.revision }?.version ?? last.vector.merged.first ?? last.vector.previous.first
    }

    /// What clients remember of a document from before their databases were upgraded, by the names of their copies.
    public func clientRevisions(of document: DocumentView) throws -> [String: RevisionID] {
        try document.record.key.map { try store.legacyRevisions(of: $0) } ?? [:]
    }
}
