import Storage

extension PostgreSQLSnapshot {
    func session(_ key: [UInt8]) throws -> SessionRecord? {
        try connection.first("SELECT user_name, generation, created, expires, ttl FROM sessions WHERE key = $1", key) { row in
            SessionRecord(
                key: key, user: row.text(0), generation: row.integer(1), created: row.integer(2), expires: row.integer(3),
                timeToLive: row.integer(4))
        }
    }
}

extension PostgreSQLTransaction {
    func setSession(_ session: SessionRecord) throws {
        try connection.run(
            """
            INSERT INTO sessions (key, user_name, generation, created, expires, ttl) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (key) DO UPDATE SET expires = excluded.expires
            """, session.key, session.user, session.generation, session.created, session.expires, session.timeToLive)
    }

    @discardableResult
    func removeSession(_ key: [UInt8]) throws -> Bool {
        try connection.change("DELETE FROM sessions WHERE key = $1", key) > 0
    }

    func removeSessions(of user: String) throws {
        try connection.run("DELETE FROM sessions WHERE user_name = $1", user)
    }

    func removeSessions(expiredBefore time: Int64, limit: Int) throws {
        try connection.run(
            "DELETE FROM sessions WHERE key IN (SELECT key FROM sessions WHERE expires < $1 ORDER BY expires LIMIT $2)", time, limit)
    }
}
