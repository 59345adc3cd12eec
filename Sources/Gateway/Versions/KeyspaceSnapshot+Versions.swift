package import Documents
import Storage

extension KeyspaceSnapshot {
    /// The winner's version; `nil` if it has none.
    package func version(of document: DocumentView) throws -> VersionVector? {
        VersionedDocument(document.record, version: try store.lastVersion(of: document.record)).current
    }

    /// The revision for a peer's name of it; `nil` for a version that is not stored.
    package func revision(named name: RevisionName, of document: DocumentView) throws -> RevisionID? {
        switch name {
        case .tree(let revision): return revision
        case .version(let version):
            guard let key = document.record.key else { return nil }
            return try store.version(of: key)?.revision(of: version)
        }
    }

    /// The tree revision that a client's database has of a document from before its upgrade to versions. Each history for the client has to end
    /// with it, or the client treats the revision as a conflict.
    package func legacyRevision(of document: DocumentView, copy: ClientDatabase) throws -> RevisionID? {
        guard let key = document.record.key else { return nil }
        return try store.legacyRevision(of: key, client: copy.name)
    }

    /// The relation of a version to a document's winner.
    package enum Standing: Sendable {
        /// It is the winner's version.
        case winner
        /// The winner's version includes it.
        case settled
        case unknown
    }

    package func standing(of version: Version, in document: DocumentView) throws -> Standing {
        guard let last = try store.lastVersion(of: document.record), last.vector.contains(version) else { return .unknown }
        return last.revision == document.winner && last.names.contains(version) ? .winner : .settled
    }

    /// The names under which another side may have the winner: its tree ID, unless another source has given it a version, and its version.
    package func names(of document: DocumentView) throws -> [RevisionName] {
        let tree = RevisionName.tree(document.winner.modernAlias)
        guard let last = try store.lastVersion(of: document.record), last.revision == document.winner else { return [tree] }
        let isOfTree = VersionedDocument(document.record, version: last).isOfTree(SourceID(try store.uuid))
        return (isOfTree ? [tree] : []) + [.version(last.vector.current)]
    }

    /// The document's version before the current one.
    package func formerVersion(of document: DocumentView) throws -> Version? {
        guard let key = document.record.key, let last = try store.version(of: key) else { return nil }
        return last.earlier.first { $0.revision != last.revision }?.version ?? last.vector.merged.first ?? last.vector.previous.first
    }

    /// The tree revisions that clients have of a document from before their upgrade, by the names of their databases.
    package func clientRevisions(of document: DocumentView) throws -> [String: RevisionID] {
        try document.record.key.map { try store.legacyRevisions(of: $0) } ?? [:]
    }
}

extension StoreSnapshot {
    /// The version that a write has to follow; `nil` for a write without a version, for which nothing is read.
    func version(for write: RevisionWrite, of document: DocumentRecord?) throws -> VersionRecord? {
        guard let document else { return nil }
        if case .versioned = write.kind { return try lastVersion(of: document) }
        return write.version == nil ? nil : try lastVersion(of: document)
    }

    /// The last version of a document that 4.x clients may have.
    ///
    /// A document with branches that was written after a restore may have been sent as another branch in the lost period, under a version that
    /// includes the last one stored here. If the stored version's revision wins again, those clients would treat it as an older one, and keep the
    /// other branch for ever. The result is therefore an assumed version of the other branch that includes all lost versions, so that the winner
    /// gets a new version after it.
    func lastVersion(of document: DocumentRecord) throws -> VersionRecord? {
        guard let last = try document.key.flatMap(version(of:)) else { return nil }
        guard last.revision == document.winner, let other = document.tree.leaves.first(where: { $0.id != document.winner }),
            let restored = try restored(before: document.sequence ?? document.collectionSequence), let source = SourceID(try uuid)
        else { return last }
        let lost = Version(time: VersionClock.latestLost(restored: restored), source: source)
        guard last.vector.time(of: source) < lost.time else { return last }
        return last.followed(by: other.id, last.vector.child(lost), remembering: last.earlier.count + 1)
    }

    /// Whether a restored backup has lost this version of this database's own source, and the document was written since. A document without later
    /// writes gets the same version again.
    func hasLost(_ version: Version, of document: DocumentRecord) throws -> Bool {
        guard try version.source == SourceID(uuid), let restored = try restored(before: document.sequence ?? document.collectionSequence)
        else { return false }
        let lost = VersionClock.latestLost(restored: restored)
        guard version.time <= lost else { return false }
        // A version in the backup includes the versions before it.
        let last = try document.key.flatMap(self.version(of:))
        let kept = last.map { [$0.vector.current] + $0.earlier.map(\.version) } ?? []
        return !kept.contains { $0.source == version.source && version.time <= $0.time && $0.time <= lost }
    }
}
