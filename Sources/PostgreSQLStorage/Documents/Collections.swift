import Storage

extension PostgreSQLSnapshot {
    func collections() throws -> [CollectionRecord] {
        try connection.all("SELECT key, scope, name, is_hidden, pending, sync_function FROM collections ORDER BY key", row: collection)
    }

    func collection(_ key: CollectionKey) throws -> CollectionRecord? {
        if let known = lookups.collection(key) { return known }
        return try connection.first(
            "SELECT key, scope, name, is_hidden, pending, sync_function FROM collections WHERE key = $1", key, row: collection)
    }

    /// The collection of a row of `key, scope, name, is_hidden, pending, sync_function`.
    func collection(_ row: PostgreSQLRow) -> CollectionRecord {
        CollectionRecord(
            key: CollectionKey(row.integer(0)), scope: row.text(1), name: row.text(2), isHidden: row.bool(3),
            pending: row.optionalInteger(4).map { DocumentKey($0) }, syncFunction: row.optionalText(5))
    }
}

extension PostgreSQLTransaction {
    func putCollection(scope: String, name: String, isHidden: Bool?, syncFunction: String?) throws -> CollectionRecord {
        let count = try connection.change(
            """
            INSERT INTO collections AS c (scope, name, is_hidden, sync_function) VALUES ($1, $2, coalesce($3, false), $4)
            ON CONFLICT (scope, name) DO UPDATE SET
                is_hidden = coalesce($3, c.is_hidden),
                pending = CASE WHEN coalesce($3, c.is_hidden) <> c.is_hidden THEN 0 ELSE c.pending END,
                sync_function = coalesce($4, c.sync_function)
            WHERE coalesce($3, c.is_hidden) <> c.is_hidden OR coalesce($4, c.sync_function) IS DISTINCT FROM c.sync_function
            """, scope, name, isHidden, syncFunction)
        lookups.forgetCollections()
        if count > 0 {
            changes.touchesCollections = true
            // Users' access depends on the set of collections.
            changes.access = .everyone
        }
        let record = try connection.first(
            "SELECT key, scope, name, is_hidden, pending, sync_function FROM collections WHERE scope = $1 AND name = $2", scope, name,
            row: collection)
        guard let record else { throw missing("collection \(scope).\(name)") }
        return record
    }

    func forgetSyncFunction(of collection: CollectionKey) throws {
        let count = try connection.change(
            "UPDATE collections SET sync_function = NULL WHERE key = $1 AND sync_function IS NOT NULL", collection)
        lookups.forgetCollections()
        if count > 0 { changes.touchesCollections = true }
    }

    func setPending(_ last: DocumentKey?, in collection: CollectionKey) throws {
        lookups.forgetCollections()
        try connection.run("UPDATE collections SET pending = $2 WHERE key = $1", collection, last)
    }
}
