import Documents
import Storage

/// By which this database's versions are known: one source, and one more behind each backup that was restored.
///
/// What was written before a backup keeps the version that it has had, or would have had, in the time that was lost: clients may know it by that.
/// What is written after its restoring must not be taken for what was lost, so it has another source; it follows what the backup has.
struct OwnSources {
    private let stretches: [(source: SourceID, since: Sequence, end: Int64?)]

    init(_ snapshot: any StoreSnapshot) throws {
        stretches = try snapshot.versionSources.compactMap { stretch in
            SourceID(stretch.id).map { ($0, stretch.since, stretch.end) }
        }
    }

    func contains(_ source: SourceID) -> Bool { stretches.contains { $0.source == source } }

    var all: [SourceID] { stretches.map(\.source) }

    /// The source of what was written at a sequence, and the last versions of the sources before it that were not lost.
    func source(at sequence: Sequence) -> (source: SourceID, followed: [Version])? {
        guard let index = stretches.lastIndex(where: { $0.since <= sequence }) else { return nil }
        let followed = stretches[..<index].compactMap { stretch in
            stretch.end.map { Version(time: VersionClock.time(of: $0), source: stretch.source) }
        }
        return (stretches[index].source, followed)
    }
}
