import Storage

extension PostgreSQLSnapshot {
    func cutoverSteps(limit: Int) throws -> [CutoverStepRecord] {
        try connection.all(
            """
            SELECT number, time, from_stage, to_stage, outcome, forced, reason, gates FROM cutover_steps ORDER BY number DESC LIMIT $1
            """, limit
        ) { row in
            CutoverStepRecord(
                number: row.integer(0), time: row.integer(1), from: row.text(2), to: row.text(3), outcome: row.text(4),
                isForced: row.bool(5), reason: row.text(6), gates: row.text(7))
        }
    }
}

extension PostgreSQLTransaction {
    func add(_ step: CutoverStepRecord) throws -> CutoverStepRecord {
        let number = try connection.changed(
            """
            INSERT INTO cutover_steps (number, time, from_stage, to_stage, outcome, forced, reason, gates)
            VALUES ((SELECT coalesce(max(number), 0) + 1 FROM cutover_steps), $1, $2, $3, $4, $5, $6, $7) RETURNING number
            """, step.time, step.from, step.to, step.outcome, step.isForced, step.reason, step.gates
        ) { $0.integer(0) }
        var added = step
        added.number = number ?? 0
        return added
    }
}
