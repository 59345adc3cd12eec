import Storage

extension PostgreSQLSnapshot {
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
            SELECT key, run, source, collection, id, revision, place, reason, modified, length, CASE WHEN $3 THEN bytes ELSE '' END
            FROM quarantine WHERE key > $1 ORDER BY key LIMIT $2
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
        try connection.first(
            "SELECT reason FROM quarantine WHERE collection = $1 AND sha256(id) = sha256($2) AND id = $2 ORDER BY key LIMIT 1", collection,
            id
        ) { $0.text(0) }
    }

    func quarantineCount() throws -> Int {
        Int(try connection.first("SELECT count(*) FROM quarantine") { $0.integer(0) } ?? 0)
    }
}

extension PostgreSQLTransaction {
    func beginMigrationRun(_ run: MigrationRunRecord) throws -> MigrationRunRecord {
        let key = try connection.changed(
            """
            INSERT INTO migration_runs (source, identity, routes, options, started, finished, state, cursor, counts)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING key
            """, run.source, run.identity, run.routes, run.options, run.started, run.finished, run.state.rawValue, run.cursor, run.counts
        ) { $0.integer(0) }
        var begun = run
        begun.key = key ?? 0
        return begun
    }

    func updateMigrationRun(_ run: MigrationRunRecord) throws {
        try connection.runOnce(
            otherwise: missing("run \(run.key) of the migrations"),
            "UPDATE migration_runs SET finished = $2, state = $3, cursor = $4, counts = $5 WHERE key = $1",
            run.key, run.finished, run.state.rawValue, run.cursor, run.counts)
    }

    func quarantine(_ record: QuarantineRecord) throws {
        try connection.run(
            """
            INSERT INTO quarantine (run, source, collection, id, revision, place, reason, modified, length, bytes)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (collection, sha256(id), sha256(revision), place, sha256(source)) DO UPDATE SET run = excluded.run, reason = excluded.reason,
                modified = excluded.modified, length = excluded.length, bytes = excluded.bytes
            """, record.run, record.source, record.collection, record.id, record.revision ?? "", record.place, record.reason,
            record.modified, Int64(record.length), record.bytes)
    }

    func releaseQuarantine(collection: String, id: String, revisions: Set<String>, place: String?) throws {
        for revision in revisions {
            try connection.run(
                "DELETE FROM quarantine WHERE collection = $1 AND sha256(id) = sha256($2) AND id = $2 AND revision = $3", collection, id,
                revision)
        }
        try connection.run(
            """
            DELETE FROM quarantine
            WHERE collection = $1 AND sha256(id) = sha256($2) AND id = $2 AND revision = '' AND place = coalesce($3, place)
            """, collection, id, place)
    }

    func removeQuarantine(_ key: Int64) throws {
        try connection.run("DELETE FROM quarantine WHERE key = $1", key)
    }
}
