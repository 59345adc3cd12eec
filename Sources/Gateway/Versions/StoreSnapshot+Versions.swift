import Documents
import Storage

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
