extension SQLiteTransaction {
    /// Rows of one user. Whoever sends ever new names of clients, or comes from ever new addresses, crowds out nobody but himself.
    private static var visitsOfUser: Int { 1_000 }

    /// Rows altogether.
    private static var visitsKept: Int { 100_000 }

    /// How long a row is kept, in milliseconds. No gate asks for a longer time.
    private static var visitLifetime: Int64 { 400 * SightingDay.length }

    func note(_ visits: [Visit]) throws {
        guard let latest = visits.lazy.map(\.lastSeen).max() else { return }
        for visit in visits {
            try connection.run(
                """
                INSERT INTO visits (user, generation, agent, address, first_seen, last_seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT (user, generation, agent, address) DO UPDATE SET last_seen = max(last_seen, excluded.last_seen)
                """, visit.user, visit.generation, visit.agent, visit.address, visit.firstSeen, visit.lastSeen)
        }
        try connection.run("DELETE FROM visits WHERE last_seen < ?1", latest - Self.visitLifetime)
        for user in Set(visits.map(\.user)) { try trimVisits(of: user) }
        let surplus = (try connection.first("SELECT count(*) FROM visits") { Int($0.integer(0)) } ?? 0) - Self.visitsKept
        guard surplus > 0 else { return }
        try connection.run(
            """
            DELETE FROM visits WHERE (user, generation, agent, address) IN
                (SELECT user, generation, agent, address FROM visits ORDER BY last_seen LIMIT ?1)
            """, surplus)
    }

    private func trimVisits(of user: String) throws {
        let count = try connection.first("SELECT count(*) FROM visits WHERE user = ?1", user) { Int($0.integer(0)) }
        let surplus = (count ?? 0) - Self.visitsOfUser
        guard surplus > 0 else { return }
        try connection.run(
            """
            DELETE FROM visits WHERE user = ?1 AND (generation, agent, address) IN
                (SELECT generation, agent, address FROM visits WHERE user = ?1 ORDER BY last_seen LIMIT ?2)
            """, user, surplus)
    }
}
