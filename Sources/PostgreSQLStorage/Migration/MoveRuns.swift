import Storage

extension PostgreSQLSnapshot {
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

    func movedDocuments(in run: Int64, after: DocumentKey, limit: Int, _ visit: (MovedDocumentRecord) throws -> Bool) throws {
        var last = after
        // Each row has a body, so a page has few rows.
        try PostgreSQLConnection.pages(limit: limit, first: 32, most: 32) { count in
            try connection.each(
                """
                SELECT d.key, d.collection, d.unified_id, d.local_id, d.sequence, d.collection_sequence, d.revision, d.flags, d.modified,
                    d.tree, m.document, m.from_collection, m.from_unified_id, m.from_local_id, d.attachments, d.body
                FROM moves m LEFT JOIN documents d ON d.key = m.document
                WHERE m.run = $1 AND m.document > $2 ORDER BY m.document LIMIT $3
                """, run, last, count
            ) { row in
                last = DocumentKey(row.integer(10))
                let move = MoveRecord(
                    document: last, fromCollection: CollectionKey(row.integer(11)), fromUnifiedID: row.optionalText(12),
                    fromLocalID: row.optionalText(13))
                return try visit(
                    MovedDocumentRecord(move: move, document: row.isNull(0) ? nil : try record(row), winnerBody: body(row, at: 14)))
            }
        }
    }
}

extension PostgreSQLTransaction {
    func beginMoveRun(routes: String) throws -> MoveRun {
        let started = now
        let key = try connection.changed(
            "INSERT INTO move_runs (started, state, routes) VALUES ($1, $2, $3) RETURNING key", started, MoveRun.State.running.rawValue,
            routes
        ) { $0.integer(0) }
        return MoveRun(
            key: key ?? 0, started: started, finished: nil, state: .running, routes: routes, cursor: DocumentKey(0))
    }

    func updateMoveRun(_ run: MoveRun) throws {
        try connection.runOnce(
            otherwise: missing("run \(run.key) of the moves"),
            "UPDATE move_runs SET finished = $2, state = $3, cursor = $4 WHERE key = $1",
            run.key, run.finished, run.state.rawValue, run.cursor)
    }

    func recordMove(_ move: MoveRecord, in run: Int64) throws {
        try connection.run(
            """
            INSERT INTO moves (run, document, from_collection, from_unified_id, from_local_id) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (run, document) DO UPDATE SET from_collection = excluded.from_collection,
                from_unified_id = excluded.from_unified_id, from_local_id = excluded.from_local_id
            """, run, move.document, move.fromCollection, move.fromUnifiedID, move.fromLocalID)
    }

    func forgetMoves(in run: Int64, after start: DocumentKey, upTo end: DocumentKey, but kept: [DocumentKey]) throws {
        var start = start
        for key in kept {
            try connection.run("DELETE FROM moves WHERE run = $1 AND document > $2 AND document < $3", run, start, key)
            start = key
        }
        try connection.run("DELETE FROM moves WHERE run = $1 AND document > $2 AND document <= $3", run, start, end)
    }
}
