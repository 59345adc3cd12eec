extension SQLiteTransaction {
    func beginMigrationRun(_ run: MigrationRunRecord) throws -> MigrationRunRecord {
        try connection.run(
            """
            INSERT INTO migration_runs (source, identity, routes, options, started, finished, state, cursor, counts)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """, run.source, run.identity, run.routes, run.options, run.started, run.finished, run.state.rawValue, run.cursor, run.counts)
        var begun = run
        begun.key = connection.lastInsertedKey
        return begun
    }

    func updateMigrationRun(_ run: MigrationRunRecord) throws {
        try connection.run(
            "UPDATE migration_runs SET finished = ?2, state = ?3, cursor = ?4, counts = ?5 WHERE key = ?1",
            run.key, run.finished, run.state.rawValue, run.cursor, run.counts)
        guard connection.changes == 1 else { throw missing("run \(run.key) of the migrations") }
    }

    func quarantine(_ record: QuarantineRecord) throws {
        try connection.run(
            """
            INSERT INTO quarantine (run, source, collection, id, revision, place, reason, modified, length, bytes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (collection, id, revision, place, source) DO UPDATE SET run = excluded.run, reason = excluded.reason,
                modified = excluded.modified, length = excluded.length, bytes = excluded.bytes
            """, record.run, record.source, record.collection, record.id, record.revision ?? "", record.place, record.reason,
            record.modified, Int64(record.length), record.bytes)
    }

    func releaseQuarantine(collection: String, id: String, revisions: Set<String>, place: String?) throws {
        for revision in revisions {
            try connection.run("DELETE FROM quarantine WHERE collection = ?1 AND id = ?2 AND revision = ?3", collection, id, revision)
        }
        try connection.run(
            "DELETE FROM quarantine WHERE collection = ?1 AND id = ?2 AND revision = '' AND place = coalesce(?3, place)", collection, id,
            place)
    }

    func removeQuarantine(_ key: Int64) throws {
        try connection.run("DELETE FROM quarantine WHERE key = ?1", key)
    }
}
