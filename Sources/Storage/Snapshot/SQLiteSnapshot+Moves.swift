extension SQLiteSnapshot {
    func moveRuns() throws -> [MoveRun] {
        try connection.all("SELECT key, started, finished, state, routes, cursor FROM move_runs ORDER BY key") { row in
            guard let state = MoveRun.State(rawValue: row.integer(3)) else {
                throw damaged("run \(row.integer(0)) of the moves is in the unknown state \(row.integer(3))")
            }
            return MoveRun(
                key: row.integer(0), started: row.integer(1), finished: row.optionalInteger(2), state: state, routes: row.text(4),
                cursor: DocumentKey(row.integer(5)))
        }
    }

    func moves(in run: Int64, after: DocumentKey, limit: Int) throws -> [MoveRecord] {
        try connection.all(
            """
            SELECT document, from_collection, from_unified_id, from_local_id FROM moves
            WHERE run = ?1 AND document > ?2 ORDER BY document LIMIT ?3
            """, run, after, limit
        ) { row in
            MoveRecord(
                document: DocumentKey(row.integer(0)), fromCollection: CollectionKey(row.integer(1)),
                fromUnifiedID: row.optionalText(2), fromLocalID: row.optionalText(3))
        }
    }
}
