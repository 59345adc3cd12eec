import Documents
import Storage

/// Assigns versions to revisions, and stores those of clients, within one transaction.
///
/// A document gets its first version when a 4.x client is about to receive it, so other documents cost nothing. Later writes get their version when
/// they are sent: with the time of the write, and including all versions that were sent before.
struct VersionAssigner {
    let transaction: any StoreTransaction

    /// The number of earlier versions that are stored: those whose bodies may still be the source of deltas, and at least the previous one, which a
    /// server may receive as the parent.
    private let remembered: Int

    init(_ transaction: any StoreTransaction, in database: Database) {
        self.transaction = transaction
        remembered = database.configuration.deltaSync ? max(database.configuration.limits.recentBodies, 1) : 1
    }

    /// The winner's version, which is assigned if there is none yet.
    func version(of document: DocumentRecord) throws -> VersionVector? {
        guard let key = document.key, let source = SourceID(try transaction.uuid) else { return nil }
        let last = try transaction.lastVersion(of: document)
        if let current = VersionedDocument(document, version: last).current { return current }
        let version = Version(time: try time(of: document, after: last?.vector.time(of: source) ?? 0), source: source)
        let vector = last?.vector.child(version) ?? VersionVector(current: version)
        try transaction.setVersion(followed(last, by: document.winner, vector), of: key)
        return vector
    }

    /// Stores the version of a client's new revision, and the client's tree revision from before its upgrade.
    func record(
        _ made: VersionedWrite, receiving received: RevisionWrite.Receipt, of revision: RevisionID, in document: DocumentRecord,
        after last: VersionRecord?
    ) throws {
        guard let key = document.key else { return }
        let vector = made.history.vector
        // The stored vector includes all versions that were sent, so that clients with newer ones than the writer's see that this revision follows.
        let whole = last.map { vector.covering($0.vector) } ?? vector
        let kept = followed(last, by: revision, whole)
        try transaction.setVersion(try named(kept, of: document, made, receiving: received, after: last), of: key)
        try recordLegacyRevision(made, of: key)
    }

    /// Stores a version for a revision that exists under its tree ID. The winner's version then includes it.
    func recordVersion(_ known: VersionRecord, of document: DocumentRecord, after last: VersionRecord?) throws {
        guard let key = document.key else { return }
        guard let last else { return try transaction.setVersion(known, of: key) }
        let isSame = known.vector.current == last.vector.current
        guard isSame || !last.vector.contains(known.vector.current) else { return }
        if known.revision != document.winner, last.revision == document.winner, isSame || !known.vector.contains(last.vector.current) {
            let wider = last.vector.covering(known.vector)
            return try transaction.setVersion(VersionRecord(revision: last.revision, vector: wider, earlier: last.earlier), of: key)
        }
        let vector = known.vector.covering(last.vector)
        try transaction.setVersion(last.followed(by: known.revision, vector, remembering: remembered), of: key)
    }

    /// Records the tree revision that a client's database has of a document from before its upgrade, for the end of its histories.
    func recordLegacyRevision(_ made: VersionedWrite, of document: DocumentKey) throws {
        for (copy, revision) in made.remembered where try transaction.legacyRevision(of: document, client: copy) == nil {
            try transaction.setLegacyRevision(revision, of: document, client: copy)
        }
        guard let copy = made.copy, let legacy = made.history.legacy.first else { return }
        try transaction.setLegacyRevision(legacy, of: document, client: copy.name)
    }

    /// The record of a revision that gets a version of this database's own in addition:
    ///
    /// - Its client has not received the versions that were sent until then. Otherwise the client may meanwhile have accepted the sent version as the
    ///   newer one, and each side would include the other's version for ever. An upgraded client that is not receiving any has the revision under its
    ///   tree ID: a version of this database's own would conflict with its next edit.
    /// - Its version was known before. Other clients would take it for an older one.
    private func named(
        _ kept: VersionRecord, of document: DocumentRecord, _ made: VersionedWrite, receiving received: RevisionWrite.Receipt,
        after last: VersionRecord?
    ) throws -> VersionRecord {
        let vector = made.history.vector
        /// Whether the client has this revision under its tree ID, and is not receiving it as a version.
        func isHeld(_ revision: RevisionID) -> Bool {
            received == .nothing && made.history.legacy.contains { $0 == revision || $0 == revision.modernAlias }
        }
        let isUnseen =
            try last.map { !$0.isSeen(by: vector) && !isHeld($0.revision) } ?? hasLostVersion(document, before: kept.revision)
        let isOlder = last?.vector.contains(vector.current) ?? false
        guard isUnseen || isOlder, let source = SourceID(try transaction.uuid) else { return kept }
        let version = Version(time: try time(of: document, after: kept.vector.time(of: source)), source: source)
        return kept.followed(by: kept.revision, kept.vector.child(version), remembering: remembered)
    }

    /// Whether a recreated document may have been sent in the period that a restored backup has lost, under versions that are unknown here.
    private func hasLostVersion(_ document: DocumentRecord, before revision: RevisionID) throws -> Bool {
        guard let former = document.tree.parent(of: revision), document.tree.node(former)?.isDeleted == true else { return false }
        return try transaction.restored(before: document.sequence ?? document.collectionSequence) != nil
    }

    /// The time of the document's version.
    ///
    /// A write after a restore gets a time after all lost versions, or clients would treat its version as one of those, or as older. A write before
    /// the restore keeps the version that it had in the lost period.
    private func time(of document: DocumentRecord, after last: UInt64) throws -> UInt64 {
        guard let restored = try transaction.restored(before: document.sequence ?? document.collectionSequence) else {
            return VersionClock.time(changed: document.modified, now: Timestamp.now, after: last)
        }
        return VersionClock.time(changed: document.modified, now: Timestamp.now, after: last, restored: restored)
    }

    private func followed(_ last: VersionRecord?, by revision: RevisionID, _ vector: VersionVector) -> VersionRecord {
        last?.followed(by: revision, vector, remembering: remembered) ?? VersionRecord(revision: revision, vector: vector)
    }

    /// - Throws: ``GatewayError`` `badRequest` for a vector with a version of this database that cannot exist.
    func check(_ made: VersionedWrite, of id: String, after last: VersionRecord?) throws {
        guard let source = SourceID(try transaction.uuid) else { return }
        let own = made.history.vector.time(of: source)
        let known = last?.vector.time(of: source) ?? 0
        guard own <= max(known, VersionClock.latest(at: Timestamp.now)) else {
            throw GatewayError(.badRequest, "The version vector of \(id) names a version of this database that is in the future")
        }
    }
}
