extension SQLiteTransaction {
    func beginMoveRun(routes: String) throws -> MoveRun {
        let started = now
        try connection.run(
            "INSERT INTO move_runs (started, state, routes) VALUES (?1, ?2, ?3)", started, MoveRun.State.running.rawValue, routes)
        return MoveRun(
            key: connection.lastInsertedKey, started: started, finished: nil, state: .running, routes: routes, cursor: DocumentKey(0))
    }

    func updateMoveRun(_ run: MoveRun) throws {
        try connection.run(
            "UPDATE move_runs SET finished = ?2, state = ?3, cursor = ?4 WHERE key = ?1",
            run.key, run.finished, run.state.rawValue, run.cursor)
        guard connection.changes == 1 else { throw missing("run \(run.key) of the moves") }
    }

    func recordMove(_ move: MoveRecord, in run: Int64) throws {
        try connection.run(
            """
            INSERT INTO moves (run, document, from_collection, from_unified_id, from_local_id) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (run, document) DO UPDATE SET from_collection = excluded.from_collection,
                from_unified_id = excluded.from_unified_id, from_local_id = excluded.from_local_id
            """, run, move.document, move.fromCollection, move.fromUnifiedID, move.fromLocalID)
    }

    func forgetMoves(in run: Int64, after start: DocumentKey, upTo end: DocumentKey, but kept: [DocumentKey]) throws {
        var start = start
        for key in kept {
            try connection.run("DELETE FROM moves WHERE run = ?1 AND document > ?2 AND document < ?3", run, start, key)
            start = key
        }
        try connection.run("DELETE FROM moves WHERE run = ?1 AND document > ?2 AND document <= ?3", run, start, end)
    }
}
