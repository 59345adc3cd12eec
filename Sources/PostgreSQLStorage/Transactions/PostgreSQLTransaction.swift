import Documents
import Foundation
import Storage

/// Reads and writes within a transaction of PostgreSQL.
///
/// The transaction holds the lock of the row in `store`, so no other writer changes the store meanwhile. The rows that it
/// has read or written stay as they are.
final class PostgreSQLTransaction: PostgreSQLSnapshot, StoreTransaction {
    /// Whether each ``attempt(_:)`` has a savepoint. Without them a group costs fewer round trips; if an attempt fails after a change, the group is
    /// repeated with them.
    let isCareful: Bool

    /// Whether the work can only be completed by a repetition with savepoints.
    private(set) var mustRepeat = false

    var pending: PendingChanges

    /// The connection's count of writes at the beginning.
    let firstWriteCount: Int

    let channelKeys: ChannelKeys

    /// The places of documents that were read or written in this transaction.
    private var places: [DocumentKey: StoredDocumentPlace] = [:]
    private static let mostPlaces = 20_000

    var changes: TransactionChanges {
        get { pending.changes }
        _modify { yield &pending.changes }
    }

    /// Begins a transaction. Waits for other writers.
    ///
    /// - Throws: ``StorageError`` `moved` for a store that was moved to another place.
    init(beginningOn connection: PostgreSQLConnection, isCareful: Bool, _ channelKeys: ChannelKeys) throws {
        self.isCareful = isCareful
        self.channelKeys = channelKeys
        firstWriteCount = connection.writeCount
        // Each statement sees the commits before it, so the state behind the lock is the last one.
        try connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        let state = try StoreState.lock(connection)
        let place = connection.address.description
        if let mark = try state.movedMark(at: place) { throw mark.error(at: place) }
        pending = PendingChanges(state)
        super.init(connection, state)
    }

    override var lastSequence: SequenceNumber {
        get throws { changes.sequence }
    }

    override var accessVersion: Int64? {
        get throws { changes.access.isEmpty ? try super.accessVersion : nil }
    }

    override func isAccessUnchanged(of grantees: Set<Grantee>, since version: Int64) throws -> Bool {
        try !changes.access.concerns(grantees) && super.isAccessUnchanged(of: grantees, since: version)
    }

    override var lastChannelOnlySequence: SequenceNumber {
        get throws { max(changes.lastChannelOnlySequence, try super.lastChannelOnlySequence) }
    }

    override var collectionsVersion: Int64? {
        get throws { changes.touchesCollections ? nil : try super.collectionsVersion }
    }

    override var hasReaders: Bool {
        get throws { pending.hasReaders }
    }

    override func counts(_ scope: FeedScope) throws -> DocumentCounts {
        let stored = try super.counts(scope)
        guard let more = changes.counts(scope) else { return stored }
        return stored + more
    }

    override func record(_ row: PostgreSQLRow) throws -> DocumentRecord {
        let document = try super.record(row)
        if let key = document.key { remember(StoredDocumentPlace(document), of: key) }
        return document
    }

    func attempt<Value>(_ work: () throws -> Value) throws -> Value {
        let mark = pending
        guard isCareful else {
            let count = connection.writeCount
            do {
                return try work()
            } catch {
                if connection.failure != nil || connection.writeCount != count { mustRepeat = true }
                pending = mark
                throw error
            }
        }
        try connection.run("SAVEPOINT attempt")
        do {
            let value = try work()
            try connection.receive()
            try connection.run("RELEASE attempt")
            return value
        } catch {
            guard canContinue else { throw error }
            try connection.rollBack(to: "ROLLBACK TO attempt", release: "RELEASE attempt")
            undo(to: mark)
            throw error
        }
    }

    /// Whether the failure of a statement, if there is one, concerns that statement alone.
    var canContinue: Bool {
        guard !connection.isLost else { return false }
        guard let failure = connection.failure else { return true }
        return !failure.isTransient && !failure.error.isOfStore
    }

    /// Restores the pending changes after a rollback to a savepoint.
    func undo(to mark: PendingChanges) {
        pending = mark
        places = [:]
        lookups = AnnouncedLookups()
    }

    /// Milliseconds since 1970.
    var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    func invalid(_ what: String) -> StorageError {
        StorageError(.invalidArgument, "\(connection.address.description): \(what).")
    }

    func missing(_ what: String) -> StorageError {
        StorageError(.conflict, "\(connection.address.description): \(what) is not there; it may have been removed meanwhile.")
    }
}

extension PostgreSQLTransaction {
    /// The stored place of a document; `nil` if there is no such document.
    func place(of key: DocumentKey) throws -> StoredDocumentPlace? {
        if let known = places[key] { return known }
        return try connection.first(
            "SELECT collection, flags, sequence FROM documents WHERE key = $1", key, row: StoredDocumentPlace.init)
    }

    /// Records the place that a document has from now on; `nil` if it is removed.
    func remember(_ place: StoredDocumentPlace?, of key: DocumentKey) {
        if places.count >= Self.mostPlaces { places = [:] }
        places[key] = place
    }

    func nextSequence() throws -> SequenceNumber {
        try raiseCounter(to: changes.sequence.next)
        return changes.sequence
    }

    func raiseCounter(to sequence: SequenceNumber) throws {
        guard sequence.value <= StoreLimits.maximumSequence else { throw invalid("the counter cannot go beyond 2^53 - 1") }
        changes.sequence = max(changes.sequence, sequence)
    }

    func set(_ value: String?, forSetting name: String) throws {
        guard !name.hasPrefix(StoreLimits.reservedPrefix) else {
            throw invalid("the setting '\(name)' is the store's own; names must not begin with '\(StoreLimits.reservedPrefix)'")
        }
        guard let value else { return try connection.run("DELETE FROM settings WHERE name = $1", name) }
        try connection.run(
            "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
    }

    func recordReader() throws { pending.hasReaders = true }
}
