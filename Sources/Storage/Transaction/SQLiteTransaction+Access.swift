extension SQLiteTransaction {
    func setPrincipal(_ principal: PrincipalRecord) throws {
        try connection.run(
            """
            INSERT INTO principals (kind, name, email, sequence, record) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (kind, name) DO UPDATE SET email = excluded.email, sequence = excluded.sequence, record = excluded.record
            """, principal.grantee.kind, principal.grantee.name, principal.email, principal.sequence, principal.record)
        changes.access.insert(principal.grantee)
    }

    func removePrincipal(_ grantee: Grantee) throws {
        try connection.run("DELETE FROM principals WHERE kind = ?1 AND name = ?2", grantee.kind, grantee.name)
        changes.access.insert(grantee)
    }

    func setSession(_ session: SessionRecord) throws {
        try connection.run(
            """
            INSERT INTO sessions (key, user, generation, created, expires, ttl) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (key) DO UPDATE SET expires = excluded.expires
            """, session.key, session.user, session.generation, session.created, session.expires, session.timeToLive)
    }

    @discardableResult
    func removeSession(_ key: [UInt8]) throws -> Bool {
        try connection.run("DELETE FROM sessions WHERE key = ?1", key)
        return connection.changes > 0
    }

    func removeSessions(of user: String) throws {
        try connection.run("DELETE FROM sessions WHERE user = ?1", user)
    }

    func removeSessions(expiredBefore time: Int64, limit: Int) throws {
        try connection.run(
            "DELETE FROM sessions WHERE key IN (SELECT key FROM sessions WHERE expires < ?1 ORDER BY expires LIMIT ?2)", time, limit)
    }

    /// Counts the transaction as a change to access, and says whose it was.
    func recordAccessChange() throws {
        try connection.run("UPDATE settings SET value = value + 1 WHERE name = 'store.access'")
        switch changes.access {
        case .everyone:
            try connection.run(
                """
                UPDATE settings SET value = (SELECT value FROM settings WHERE name = 'store.access') WHERE name = 'store.access.everyone'
                """)
        case .of(let grantees):
            for grantee in grantees {
                try connection.run(
                    """
                    INSERT INTO access_changes (kind, name, version) SELECT ?1, ?2, value FROM settings WHERE name = 'store.access'
                    ON CONFLICT (kind, name) DO UPDATE SET version = excluded.version
                    """, grantee.kind, grantee.name)
            }
        }
    }
}
