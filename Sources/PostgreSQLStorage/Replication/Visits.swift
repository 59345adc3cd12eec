import Storage

extension PostgreSQLSnapshot {
    func clientCount(ofGeneration generation: Int, since time: Int64) throws -> Int {
        Int(
            try connection.first(
                """
                SELECT count(*) FROM (
                    SELECT user_name, agent FROM sightings WHERE last_seen >= $1 AND generation = $2
                    UNION SELECT user_name, agent FROM visits WHERE last_seen >= $1 AND generation = $2) AS found
                """, time, generation
            ) { $0.integer(0) } ?? 0)
    }

    func visitGroups(since time: Int64, generation: Int?, limit: Int) throws -> [VisitGroup] {
        try connection.all(
            """
            SELECT user_name, generation, agent, count(*), min(first_seen), max(last_seen),
                (SELECT address FROM visits v WHERE v.user_name = found.user_name AND v.generation = found.generation AND v.agent = found.agent
                    ORDER BY v.last_seen DESC LIMIT 1)
            FROM (
                SELECT * FROM visits WHERE last_seen >= $1 AND ($2 IS NULL OR generation = $2) ORDER BY last_seen DESC LIMIT $3
            ) found GROUP BY user_name, generation, agent
            """, time, generation, limit
        ) { row in
            VisitGroup(
                user: row.text(0), generation: Int(row.integer(1)), agent: row.text(2), addresses: Int(row.integer(3)),
                lastAddress: row.text(6), firstSeen: row.integer(4), lastSeen: row.integer(5))
        }
    }
}

extension PostgreSQLTransaction {
    func note(_ visits: [Visit]) throws {
        guard let latest = visits.lazy.map(\.lastSeen).max() else { return }
        for visit in visits {
            try connection.run(
                """
                INSERT INTO visits AS v (user_name, generation, agent, address, first_seen, last_seen) VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (user_name, generation, agent, address) DO UPDATE SET last_seen = greatest(v.last_seen, excluded.last_seen)
                """, visit.user, visit.generation, visit.agent, visit.address, visit.firstSeen, visit.lastSeen)
        }
        try connection.run("DELETE FROM visits WHERE last_seen < $1", latest - StoreLimits.visitLifetime)
        for user in Set(visits.map(\.user)) { try trimVisits(of: user) }
        let surplus = (try connection.first("SELECT count(*) FROM visits") { Int($0.integer(0)) } ?? 0) - StoreLimits.visitsKept
        guard surplus > 0 else { return }
        try connection.run(
            """
            DELETE FROM visits WHERE (user_name, generation, agent, address) IN
                (SELECT user_name, generation, agent, address FROM visits ORDER BY last_seen LIMIT $1)
            """, surplus)
    }

    private func trimVisits(of user: String) throws {
        let count = try connection.first("SELECT count(*) FROM visits WHERE user_name = $1", user) { Int($0.integer(0)) }
        let surplus = (count ?? 0) - StoreLimits.visitsOfUser
        guard surplus > 0 else { return }
        try connection.run(
            """
            DELETE FROM visits WHERE user_name = $1 AND (generation, agent, address) IN
                (SELECT generation, agent, address FROM visits WHERE user_name = $1 ORDER BY last_seen LIMIT $2)
            """, user, surplus)
    }
}
