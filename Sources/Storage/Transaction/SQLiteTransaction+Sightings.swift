extension SQLiteTransaction {
    func note(_ sighting: Sighting) throws {
        let day = sighting.lastSeen / SightingDay.length
        let last = try connection.first(
            "SELECT last_seen FROM sightings WHERE kind = ?1 AND scope = ?2 AND id = ?3", sighting.kind.rawValue, sighting.scope.number,
            sighting.id
        ) { $0.integer(0) }
        try connection.run(
            """
            INSERT INTO sightings (kind, scope, id, user, generation, agent, position, first_seen, last_seen)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
            ON CONFLICT (kind, scope, id) DO UPDATE SET user = excluded.user, generation = excluded.generation, agent = excluded.agent,
                position = excluded.position, last_seen = excluded.last_seen
            """, sighting.kind.rawValue, sighting.scope.number, sighting.id, sighting.user, sighting.generation, sighting.agent,
            sighting.position, sighting.lastSeen)
        guard last.map({ $0 / SightingDay.length < day }) ?? true else { return }
        try connection.run(
            """
            INSERT INTO sighting_days (day, generation, clients) VALUES (?1, ?2, 1)
            ON CONFLICT (day, generation) DO UPDATE SET clients = clients + 1
            """, day, sighting.generation)
    }

    func setFence(from lower: Sequence, to upper: Sequence, at time: Int64) throws {
        // Clients have read on from the backup, or from before it.
        try noteReader()
        try connection.run("INSERT OR REPLACE INTO fences (lower, upper, raised) VALUES (?1, ?2, ?3)", lower, upper, time)
    }

    func setHistoryMark(_ mark: HistoryMark, of document: DocumentKey) throws {
        try connection.run(
            "INSERT OR REPLACE INTO history_marks (document, sequence, revision) VALUES (?1, ?2, ?3)", document, mark.sequence,
            mark.revision)
    }

    func removeHistoryMarks(of document: DocumentKey, before sequence: Sequence) throws {
        try connection.run("DELETE FROM history_marks WHERE document = ?1 AND sequence < ?2", document, sequence)
    }
}
