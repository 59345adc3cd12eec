import Storage

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
}

extension SQLiteTransaction {
    func add(_ step: CutoverStepRecord) throws -> CutoverStepRecord {
        try connection.run(
            """
            INSERT INTO cutover_steps (time, from_stage, to_stage, outcome, forced, reason, gates) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """, step.time, step.from, step.to, step.outcome, step.isForced, step.reason, step.gates)
        var added = step
        added.number = connection.lastInsertedKey
        return added
    }
}
