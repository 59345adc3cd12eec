extension SQLiteSnapshot {
    func clientCount(ofGeneration generation: Int, since time: Int64) throws -> Int {
        Int(
            try connection.first(
                """
                SELECT count(*) FROM (
                    SELECT user, agent FROM sightings WHERE last_seen >= ?1 AND generation = ?2
                    UNION SELECT user, agent FROM visits WHERE last_seen >= ?1 AND generation = ?2)
                """, time, generation
            ) { $0.integer(0) } ?? 0)
    }

    func visitGroups(since time: Int64, generation: Int?, limit: Int) throws -> [VisitGroup] {
        try connection.all(
            """
            SELECT user, generation, agent, count(*), min(first_seen), max(last_seen),
                (SELECT address FROM visits v WHERE v.user = found.user AND v.generation = found.generation AND v.agent = found.agent
                    ORDER BY v.last_seen DESC LIMIT 1)
            FROM (
                SELECT * FROM visits WHERE last_seen >= ?1 AND (?2 IS NULL OR generation = ?2) ORDER BY last_seen DESC LIMIT ?3
            ) found GROUP BY user, generation, agent
            """, time, generation, limit
        ) { row in
            VisitGroup(
                user: row.text(0), generation: Int(row.integer(1)), agent: row.text(2), addresses: Int(row.integer(3)),
                lastAddress: row.text(6), firstSeen: row.integer(4), lastSeen: row.integer(5))
        }
    }
}
