extension SQLiteTransaction {
    /// The largest counter: the largest whole number that every JSON reader keeps exact.
    private static var maximumSequence: Int64 { (1 << 53) - 1 }

    func nextSequence() throws -> Sequence {
        try raiseCounter(to: changes.sequence.next)
        return changes.sequence
    }

    func raiseCounter(to sequence: Sequence) throws {
        guard sequence.value <= Self.maximumSequence else { throw invalid("the counter cannot go beyond 2^53 - 1") }
        changes.sequence = max(changes.sequence, sequence)
    }

    func set(_ value: String?, forSetting name: String) throws {
        guard !name.hasPrefix(Self.reservedPrefix) else {
            throw invalid("the setting '\(name)' is the store's own; names must not begin with '\(Self.reservedPrefix)'")
        }
        guard let value else { return try connection.run("DELETE FROM settings WHERE name = ?1", name) }
        try connection.run(
            "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
    }

    func putCollection(scope: String, name: String, isHidden: Bool?, syncFunction: String?) throws -> CollectionRecord {
        try connection.run(
            """
            INSERT INTO collections (scope, name, is_hidden, sync_function) VALUES (?1, ?2, coalesce(?3, 0), ?4)
            ON CONFLICT (scope, name) DO UPDATE SET
                is_hidden = coalesce(?3, is_hidden), pending = iif(coalesce(?3, is_hidden) != is_hidden, 0, pending),
                sync_function = coalesce(?4, sync_function)
            WHERE coalesce(?3, is_hidden) != is_hidden OR coalesce(?4, sync_function) IS NOT sync_function
            """, scope, name, isHidden, syncFunction)
        if connection.changes > 0 {
            changes.touchesCollections = true
            // What somebody may see is worked out for each collection.
            changes.access = .everyone
        }
        let record = try connection.first(
            "SELECT key, scope, name, is_hidden, pending, sync_function FROM collections WHERE scope = ?1 AND name = ?2", scope, name,
            row: collection)
        guard let record else { throw missing("collection \(scope).\(name)") }
        return record
    }

    func forgetSyncFunction(of collection: CollectionKey) throws {
        try connection.run("UPDATE collections SET sync_function = NULL WHERE key = ?1 AND sync_function IS NOT NULL", collection)
        if connection.changes > 0 { changes.touchesCollections = true }
    }

    func setPending(_ last: DocumentKey?, in collection: CollectionKey) throws {
        try connection.run("UPDATE collections SET pending = ?2 WHERE key = ?1", collection, last)
    }
}
