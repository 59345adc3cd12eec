extension SQLiteSnapshot {
    func cutoverSteps(limit: Int) throws -> [CutoverStepRecord] {
        try connection.all(
            """
            SELECT number, time, from_stage, to_stage, outcome, forced, reason, gates FROM cutover_steps ORDER BY number DESC LIMIT ?1
            """, limit
        ) { row in
            CutoverStepRecord(
                number: row.integer(0), time: row.integer(1), from: row.text(2), to: row.text(3), outcome: row.text(4),
                isForced: row.bool(5), reason: row.text(6), gates: row.text(7))
        }
    }

    func isShownUpstream(_ sequence: Sequence) throws -> Bool {
        try connection.first("SELECT 1 FROM upstream_feed WHERE sequence = ?1", sequence) { _ in true } ?? false
    }
}
