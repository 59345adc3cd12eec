import Documents
import Storage

/// Gives revisions versions, and keeps those that clients made, within one transaction.
///
/// A document has no version until a 4.x client is to be shown it, so other documents cost nothing. Once it has one, what was
/// written since gets its version when it is shown: with the time of the write, and taking in all that was shown before.
struct VersionAssigner {
    let transaction: any StoreTransaction

    /// How many earlier versions of a document are remembered: those whose bodies may still be here for deltas to build on, and at least the one before, of
    /// which a server may be told that it is the parent.
    private let remembered: Int

    init(_ transaction: any StoreTransaction, in database: Database) {
        self.transaction = transaction
        remembered = database.configuration.deltaSync ? max(database.configuration.limits.recentBodies, 1) : 1
    }

    /// The version of what has won, which it gets now if it has none.
    func version(of document: DocumentRecord) throws -> VersionVector? {
        guard let key = document.key, let source = SourceID(try transaction.uuid) else { return nil }
        let last = try transaction.lastVersion(of: document)
        if let current = VersionedDocument(document, version: last).current { return current }
        let version = Version(time: try time(of: document, after: last?.vector.time(of: source) ?? 0), source: source)
        let vector = last?.vector.child(version) ?? VersionVector(current: version)
        try transaction.setVersion(followed(last, by: document.winner, vector), of: key)
        return vector
    }

    /// Keeps the version of a document's new revision that a client made, and what the client's database remembers of the time before it was upgraded.
    func keep(_ made: VersionedWrite, of revision: RevisionID, in document: DocumentRecord, after last: VersionRecord?) throws {
        guard let key = document.key else { return }
        let vector = made.history.vector
        // Whoever was shown more than the client knew has to see that this follows.
        let whole = last.map { vector.covering($0.vector) } ?? vector
        let kept = followed(last, by: revision, whole)
        try transaction.setVersion(try named(kept, of: document, made: vector, after: last), of: key)
        try note(made, of: key)
    }

    /// Keeps a version of a revision that is here by its ID in the tree. What wins takes it in.
    func take(_ told: VersionRecord, of document: DocumentRecord, after last: VersionRecord?) throws {
        guard let key = document.key else { return }
        guard let last else { return try transaction.setVersion(told, of: key) }
        let isSame = told.vector.current == last.vector.current
        guard isSame || !last.vector.contains(told.vector.current) else { return }
        if told.revision != document.winner, last.revision == document.winner, isSame || !told.vector.contains(last.vector.current) {
            let wider = last.vector.covering(told.vector)
            return try transaction.setVersion(VersionRecord(revision: last.revision, vector: wider, earlier: last.earlier), of: key)
        }
        let vector = told.vector.covering(last.vector)
        try transaction.setVersion(last.followed(by: told.revision, vector, remembering: remembered), of: key)
    }

    /// Remembers what a client's database has of a document from before it was upgraded, which stands at the end of its histories.
    func note(_ made: VersionedWrite, of document: DocumentKey) throws {
        for (copy, revision) in made.remembered where try transaction.legacyRevision(of: document, client: copy) == nil {
            try transaction.setLegacyRevision(revision, of: document, client: copy)
        }
        guard let copy = made.copy, let legacy = made.history.legacy.first else { return }
        try transaction.setLegacyRevision(legacy, of: document, client: copy.name)
    }

    /// The record of a revision whose maker has not seen what was shown here until then. It gets a version of this database's own: the maker may have
    /// taken what was shown for the newer one meanwhile, and each side would contain the other's version for ever.
    private func named(
        _ kept: VersionRecord, of document: DocumentRecord, made vector: VersionVector, after last: VersionRecord?
    ) throws -> VersionRecord {
        let isUnseen = try last.map { !$0.isSeen(by: vector) } ?? hasLostVersion(document, before: kept.revision)
        guard isUnseen, let source = SourceID(try transaction.uuid) else { return kept }
        let version = Version(time: try time(of: document, after: kept.vector.time(of: source)), source: source)
        return kept.followed(by: kept.revision, kept.vector.child(version), remembering: remembered)
    }

    /// Whether a document that is created anew may have been shown in the time that was lost when a backup was restored, under versions that are not known
    /// here any more.
    private func hasLostVersion(_ document: DocumentRecord, before revision: RevisionID) throws -> Bool {
        guard let former = document.tree.parent(of: revision), document.tree.node(former)?.isDeleted == true else { return false }
        return try transaction.restored(before: document.sequence ?? document.collectionSequence) != nil
    }

    /// What was written after a backup was restored has versions that are newer than all that were lost, or clients would take them for those, or for
    /// older ones. What was written before keeps the version that it had in the time that was lost.
    private func time(of document: DocumentRecord, after last: UInt64) throws -> UInt64 {
        guard let restored = try transaction.restored(before: document.sequence ?? document.collectionSequence) else {
            return VersionClock.time(changed: document.modified, now: Timestamp.now, after: last)
        }
        return VersionClock.time(changed: document.modified, now: Timestamp.now, after: last, restored: restored)
    }

    private func followed(_ last: VersionRecord?, by revision: RevisionID, _ vector: VersionVector) -> VersionRecord {
        last?.followed(by: revision, vector, remembering: remembered) ?? VersionRecord(revision: revision, vector: vector)
    }

    /// - Throws: ``GatewayError`` `badRequest` for a vector that says of this database what it never said.
    func check(_ made: VersionedWrite, of id: String, after last: VersionRecord?) throws {
        guard let source = SourceID(try transaction.uuid) else { return }
        let own = made.history.vector.time(of: source)
        let known = last?.vector.time(of: source) ?? 0
        guard own <= max(known, VersionClock.latest(at: Timestamp.now)) else {
            throw GatewayError(.badRequest, "The version vector of \(id) names a version of this database that is in the future")
        }
    }
}
