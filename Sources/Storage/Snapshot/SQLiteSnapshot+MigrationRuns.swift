extension SQLiteSnapshot {
    func migrationRuns() throws -> [MigrationRunRecord] {
        try connection.all(
            """
            SELECT key, source, identity, routes, options, started, finished, state, cursor, counts FROM migration_runs ORDER BY key
            """
        ) { row in
            guard let state = MigrationRunRecord.State(rawValue: row.integer(7)) else {
                throw damaged("run \(row.integer(0)) of the migrations is in the unknown state \(row.integer(7))")
            }
            return MigrationRunRecord(
                key: row.integer(0), source: row.text(1), identity: row.optionalText(2), routes: row.text(3), options: row.text(4),
                started: row.integer(5), finished: row.optionalInteger(6), state: state, cursor: row.optionalText(8), counts: row.text(9))
        }
    }

    func quarantined(after key: Int64, limit: Int, withBytes: Bool) throws -> [QuarantineRecord] {
        try connection.all(
            """
            SELECT key, run, source, collection, id, revision, place, reason, modified, length, CASE WHEN ?3 THEN bytes ELSE x'' END
            FROM quarantine WHERE key > ?1 ORDER BY key LIMIT ?2
            """, key, limit, withBytes
        ) { row in
            let revision = row.text(5)
            return QuarantineRecord(
                key: row.integer(0), run: row.integer(1), source: row.text(2), collection: row.text(3), id: row.text(4),
                revision: revision.isEmpty ? nil : revision, place: row.text(6), reason: row.text(7), modified: row.integer(8),
                length: Int(row.integer(9)), bytes: row.bytes(10))
        }
    }

    func quarantineReason(collection: String, id: String) throws -> String? {
        try connection.first("SELECT reason FROM quarantine WHERE collection = ?1 AND id = ?2", collection, id) { $0.text(0) }
    }

    func quarantineCount() throws -> Int {
        Int(try connection.first("SELECT count(*) FROM quarantine") { $0.integer(0) } ?? 0)
    }
}
