import Documents
import Storage

/// Gives revisions versions, and keeps those that clients made, within one transaction.
///
/// A document has no version until a 4.x client is to be shown it, so other documents cost nothing. Once it has one, what was
/// written since gets its version when it is shown: with the time of the write, and taking in all that was shown before.
struct VersionKeeper {
    let transaction: any StoreTransaction

    /// How many earlier versions of a document are remembered: those whose bodies may still be here for deltas to build on.
    private let remembered: Int

    init(_ transaction: any StoreTransaction, in database: Database) {
        self.transaction = transaction
        remembered = database.configuration.deltaSync ? database.configuration.limits.recentBodies : 0
    }

    /// The version of what has won, which it gets now if it has none.
    func version(of document: DocumentRecord) throws -> VersionVector? {
        guard let key = document.key, let source = SourceID(try transaction.uuid) else { return nil }
        let last = try transaction.version(of: key)
        if let current = VersionedDocument(document, version: last).current { return current }
        let version = Version(time: try time(of: document, after: last?.vector.time(of: source) ?? 0), source: source)
        let vector = last?.vector.child(version) ?? VersionVector(current: version)
        try set(vector, of: document.winner, in: key, after: last)
        return vector
    }

    /// Keeps the version of a revision that a client made, and what the client's database remembers of the time before it was upgraded.
    func keep(_ made: VersionedWrite, of revision: RevisionID, in document: DocumentKey, after last: VersionRecord?) throws {
        let vector = made.history.vector
        // Whoever was shown more than the client knew has to see that this follows.
        let whole = last.map { vector.covering($0.vector) } ?? vector
        try set(whole, of: revision, in: document, after: last)
        if let client = made.client, let legacy = made.history.legacy.first {
            try transaction.setLegacyRevision(legacy, of: document, client: client)
        }
    }

    /// What was written after a backup was restored has versions that are newer than all that were lost, or clients would take them for those, or for
    /// older ones. What was written before keeps the version that it had in the time that was lost.
    private func time(of document: DocumentRecord, after last: UInt64) throws -> UInt64 {
        guard let restored = try transaction.restored(before: document.sequence ?? document.collectionSequence) else {
            return VersionClock.time(changed: document.modified, now: Timestamp.now, after: last)
        }
        return VersionClock.time(changed: document.modified, now: Timestamp.now, after: last, restored: restored)
    }

    private func set(_ vector: VersionVector, of revision: RevisionID, in document: DocumentKey, after last: VersionRecord?) throws {
        let record =
            last?.followed(by: revision, vector, remembering: remembered) ?? VersionRecord(revision: revision, vector: vector)
        try transaction.setVersion(record, of: document)
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
