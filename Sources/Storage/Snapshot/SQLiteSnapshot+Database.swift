extension SQLiteSnapshot {
    /// What the names of the store's own settings begin with.
    static var reservedPrefix: String { "store." }

    var uuid: [UInt8] {
        get throws {
            let uuid = try connection.first("SELECT value FROM settings WHERE name = 'store.uuid'") { $0.bytes(0) }
            guard let uuid, uuid.count == 16 else { throw damaged("it has no UUID") }
            return uuid
        }
    }

    func setting(_ name: String) throws -> String? {
        guard !name.hasPrefix(Self.reservedPrefix) else { return nil }
        return try connection.first("SELECT value FROM settings WHERE name = ?1", name) { $0.optionalText(0) } ?? nil
    }

    func collections() throws -> [CollectionRecord] {
        try connection.all("SELECT key, scope, name, is_hidden, pending, sync_function FROM collections ORDER BY key", row: collection)
    }

    func collection(_ key: CollectionKey) throws -> CollectionRecord? {
        try connection.first(
            "SELECT key, scope, name, is_hidden, pending, sync_function FROM collections WHERE key = ?1", key, row: collection)
    }

    /// The collection of a row of `key, scope, name, is_hidden, pending, sync_function`.
    func collection(_ row: Row) -> CollectionRecord {
        CollectionRecord(
            key: CollectionKey(row.integer(0)), scope: row.text(1), name: row.text(2), isHidden: row.bool(3),
            pending: row.optionalInteger(4).map { DocumentKey($0) }, syncFunction: row.optionalText(5))
    }
}
