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
    public func legacyRevision(of document: DocumentView, copy: ClientDatabase) throws -> RevisionID? {
        guard let key = document.record.key else { return nil }
        return try store.legacyRevision(of: key, client: copy.name)
    }

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

extension StoreSnapshot {
    /// The version that a write has to follow; `nil` for one that comes without, so that it costs such writes nothing.
    func version(for write: RevisionWrite, of document: DocumentRecord?) throws -> VersionRecord? {
        guard let document else { return nil }
        if case .versioned = write.kind { return try lastVersion(of: document) }
        return write.version == nil ? nil : try lastVersion(of: document)
    }

    /// The last version under which 4.x clients may know a document.
    ///
    /// A document with branches that was written after a backup was restored may have been shown as another branch in the time that was lost, under a
    /// version that takes in the last one here. Where the revision of the one here wins again, those clients would take it for what they had before, and
    /// keep the other branch for ever. So a version of the other branch is assumed that takes in all that were lost: what wins gets a new one after it.
    func lastVersion(of document: DocumentRecord) throws -> VersionRecord? {
        guard let last = try document.key.flatMap(version(of:)) else { return nil }
        guard last.revision == document.winner, let other = document.tree.leaves.first(where: { $0.id != document.winner }),
            let restored = try restored(before: document.sequence ?? document.collectionSequence), let source = SourceID(try uuid)
        else { return last }
        let lost = Version(time: VersionClock.latestLost(restored: restored), source: source)
        guard last.vector.time(of: source) < lost.time else { return last }
        return last.followed(by: other.id, last.vector.child(lost), remembering: last.earlier.count + 1)
    }

    /// Whether a version of this database's was lost when a backup was restored, and the document was written since. A document that was not has the version
    /// again that it had.
    func hasLost(_ version: Version, of document: DocumentRecord) throws -> Bool {
        guard try version.source == SourceID(uuid), let restored = try restored(before: document.sequence ?? document.collectionSequence)
        else { return false }
        let lost = VersionClock.latestLost(restored: restored)
        guard version.time <= lost else { return false }
        // A version that the backup has takes in the versions before it.
        let last = try document.key.flatMap(self.version(of:))
        let kept = last.map { [$0.vector.current] + $0.earlier.map(\.version) } ?? []
        return !kept.contains { $0.source == version.source && version.time <= $0.time && $0.time <= lost }
    }
}
