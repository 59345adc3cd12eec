import Storage

/// Reads within an SQLite transaction.
class SQLiteSnapshot: StoreSnapshot {
    let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    var lastSequence: SequenceNumber {
        get throws { try storedSequence() }
    }

    var origin: SequenceNumber {
        get throws {
            let value = try connection.first("SELECT value FROM settings WHERE name = 'store.origin'") { $0.integer(0) }
            guard let value else { throw damaged("the first sequence (store.origin) is missing") }
            return SequenceNumber(value)
        }
    }

    var accessVersion: Int64? {
        get throws {
            let version = try connection.first("SELECT value FROM settings WHERE name = 'store.access'") { $0.integer(0) }
            guard let version else { throw damaged("the number of access changes (store.access) is missing") }
            return version
        }
    }

    func isAccessUnchanged(of grantees: Set<Grantee>, since version: Int64) throws -> Bool {
        let everyone = try connection.first("SELECT value FROM settings WHERE name = 'store.access.everyone'") { $0.integer(0) }
        guard let everyone else { throw damaged("the last access change of all users (store.access.everyone) is missing") }
        guard everyone <= version else { return false }
        return try grantees.allSatisfy { grantee in
            let change = try connection.first(
                "SELECT version FROM access_changes WHERE kind = ?1 AND name = ?2", grantee.kind, grantee.name
            ) { $0.integer(0) }
            return change.map { $0 <= version } ?? true
        }
    }

    var collectionsVersion: Int64? {
        get throws {
            let version = try connection.first("SELECT value FROM settings WHERE name = 'store.collections'") { $0.integer(0) }
            guard let version else { throw damaged("the number of collection changes (store.collections) is missing") }
            return version
        }
    }

    var lastChannelOnlySequence: SequenceNumber {
        get throws {
            let value = try connection.first("SELECT value FROM settings WHERE name = 'store.channels.apart'") { $0.integer(0) }
            guard let value else { throw damaged("the last channel change (store.channels.apart) is missing") }
            return SequenceNumber(value)
        }
    }

    /// The counter's value in the database.
    final func storedSequence() throws -> SequenceNumber {
        let value = try connection.first("SELECT value FROM settings WHERE name = 'store.counter'") { $0.integer(0) }
        guard let value else { throw damaged("the last sequence (store.counter) is missing") }
        return SequenceNumber(value)
    }

    /// The setting of a store that was moved to another place: a ``MovedMark``.
    static var movedSetting: String { "store.moved" }

    /// The counter's value, for a transaction that writes.
    ///
    /// - Throws: ``StorageError`` `moved` for a store that was moved to another place.
    final func writableSequence() throws -> SequenceNumber {
        let found = try connection.all("SELECT name, value FROM settings WHERE name IN ('store.counter', 'store.moved')") { row in
            (isMark: row.text(0) == Self.movedSetting, sequence: row.integer(1), text: row.text(1))
        }
        if let mark = found.first(where: { $0.isMark }) {
            throw try CopyMarkText.read(mark.text, as: MovedMark.self, at: connection.path).error(at: connection.path)
        }
        guard let counter = found.first else { throw damaged("the last sequence (store.counter) is missing") }
        return SequenceNumber(counter.sequence)
    }

    func counts(_ scope: FeedScope) throws -> DocumentCounts {
        let counts = try connection.first(
            "SELECT live, tombstones, conflicted, misplaced, qualified FROM document_counts WHERE scope = ?1", scope.number
        ) { row in
            DocumentCounts(
                live: row.integer(0), tombstones: row.integer(1), conflicted: row.integer(2), misplaced: row.integer(3),
                qualified: row.integer(4))
        }
        return counts ?? DocumentCounts()
    }

    /// The error for inconsistent data.
    final func damaged(_ what: String, cause: (any Error)? = nil) -> StorageError {
        StorageError(
            .corrupt, "\(connection.path): the store is damaged: \(what). Run `dualgauge check` on it, and restore a backup.", cause: cause)
    }
}

extension SQLiteSnapshot {
    var uuid: [UInt8] {
        get throws {
            let uuid = try connection.first("SELECT value FROM settings WHERE name = 'store.uuid'") { $0.bytes(0) }
            guard let uuid, uuid.count == 16 else { throw damaged("it has no UUID") }
            return uuid
        }
    }

    func setting(_ name: String) throws -> String? {
        guard !name.hasPrefix(StoreLimits.reservedPrefix) else { return nil }
        return try connection.first("SELECT value FROM settings WHERE name = ?1", name) { $0.optionalText(0) } ?? nil
    }
}
