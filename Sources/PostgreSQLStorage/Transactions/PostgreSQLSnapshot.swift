import Documents
import Storage

/// Reads within a transaction of PostgreSQL.
class PostgreSQLSnapshot: StoreSnapshot {
    let connection: PostgreSQLConnection

    /// The store's single values at the beginning of the transaction.
    let state: StoreState

    /// The announced records that were read.
    var lookups = AnnouncedLookups()

    init(_ connection: PostgreSQLConnection, _ state: StoreState) {
        self.connection = connection
        self.state = state
    }

    var lastSequence: SequenceNumber {
        get throws { state.counter }
    }

    var origin: SequenceNumber {
        get throws { state.origin }
    }

    var uuid: [UInt8] {
        get throws { state.uuid }
    }

    var accessVersion: Int64? {
        get throws { state.access }
    }

    func isAccessUnchanged(of grantees: Set<Grantee>, since version: Int64) throws -> Bool {
        guard state.accessOfEveryone <= version else { return false }
        guard state.access > version else { return true }
        return try grantees.allSatisfy { grantee in
            let change = try connection.first(
                "SELECT version FROM access_changes WHERE kind = $1 AND name = $2", grantee.kind, grantee.name
            ) { $0.integer(0) }
            return change.map { $0 <= version } ?? true
        }
    }

    var collectionsVersion: Int64? {
        get throws { state.collections }
    }

    var lastChannelOnlySequence: SequenceNumber {
        get throws { state.channelsApart }
    }

    var hasReaders: Bool {
        get throws { state.hasReaders }
    }

    func setting(_ name: String) throws -> String? {
        guard !name.hasPrefix(StoreLimits.reservedPrefix) else { return nil }
        return try connection.first("SELECT value FROM settings WHERE name = $1", name) { $0.text(0) }
    }

    func counts(_ scope: FeedScope) throws -> DocumentCounts {
        let counts = try connection.first(
            "SELECT live, tombstones, conflicted, misplaced, qualified FROM document_counts WHERE scope = $1", scope.number
        ) { row in
            DocumentCounts(
                live: row.integer(0), tombstones: row.integer(1), conflicted: row.integer(2), misplaced: row.integer(3),
                qualified: row.integer(4))
        }
        return counts ?? DocumentCounts()
    }

    /// The document of a row of `key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree`.
    func record(_ row: PostgreSQLRow) throws -> DocumentRecord {
        guard let winner = row.withBytes(6, { RevisionID(utf8: $0) }) else {
            throw damaged("document \(row.integer(0)) has the winning revision '\(row.text(6))', which is not a revision ID")
        }
        let tree: RevisionTree
        do {
            tree = try row.withBytes(9) { try RevisionTree(encoded: $0) }
        } catch {
            throw damaged("the revision tree of document \(row.integer(0)) cannot be read", cause: error)
        }
        return DocumentRecord(
            key: DocumentKey(row.integer(0)), collection: CollectionKey(row.integer(1)), unifiedID: row.optionalText(2),
            localID: row.optionalText(3), sequence: row.optionalInteger(4).map { SequenceNumber($0) },
            collectionSequence: SequenceNumber(row.integer(5)), winner: winner, flags: DocumentFlags(rawValue: row.integer(7)),
            modified: row.integer(8), tree: tree)
    }

    /// The error for inconsistent data.
    final func damaged(_ what: String, cause: (any Error)? = nil) -> StorageError {
        StorageError(.corrupt, "\(connection.address.description): the store is damaged: \(what). Restore a backup.", cause: cause)
    }
}

extension PostgreSQLSnapshot {
    /// Runs `work` on a snapshot of its own.
    static func read<Value>(_ connection: PostgreSQLConnection, _ work: (PostgreSQLSnapshot) throws -> Value) throws -> Value {
        try connection.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        do {
            let value = try work(PostgreSQLSnapshot(connection, try StoreState.read(connection)))
            connection.endReading()
            return value
        } catch {
            connection.rollBack()
            throw error
        }
    }
}

extension PostgreSQLConnection {
    /// Begins a transaction with the next statement.
    func begin(_ sql: StaticString) throws {
        try sendRows()
        values.removeAll()
        try send(sql, types: [], isWrite: false)
    }

    /// Ends a transaction that has only read, without waiting for the answer.
    func endReading() {
        do {
            try begin("COMMIT")
            try push()
        } catch {
            rollBack()
        }
    }

    /// Rolls the transaction back, whatever has failed. If that fails too, the connection counts as lost.
    func rollBack() {
        guard !isLost else { return }
        do {
            try recover()
            try begin("ROLLBACK")
            try receive()
        } catch {
            giveUp()
        }
    }

    /// Rolls back to a savepoint and removes it.
    func rollBack(to savepoint: StaticString, release: StaticString) throws {
        try recover()
        try run(savepoint)
        try run(release)
        try receive()
    }
}
