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
