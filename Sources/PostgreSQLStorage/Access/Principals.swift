import Storage

extension PostgreSQLSnapshot {
    func principal(_ grantee: Grantee) throws -> PrincipalRecord? {
        try connection.first(
            "SELECT email, sequence, record FROM principals WHERE kind = $1 AND name = $2", grantee.kind, grantee.name
        ) { row in
            PrincipalRecord(grantee: grantee, email: row.optionalText(0), sequence: SequenceNumber(row.integer(1)), record: row.bytes(2))
        }
    }

    func user(email: String) throws -> PrincipalRecord? {
        try connection.first(
            "SELECT name, sequence, record FROM principals WHERE email = $1 AND kind = 0 ORDER BY key LIMIT 1", email
        ) { row in
            PrincipalRecord(
                grantee: .user(row.text(0)), email: email, sequence: SequenceNumber(row.integer(1)), record: row.bytes(2))
        }
    }

    func userNames(email: String, limit: Int) throws -> [String] {
        try connection.all("SELECT name FROM principals WHERE email = $1 AND kind = 0 ORDER BY key LIMIT $2", email, limit) { $0.text(0) }
    }

    func principals(_ kind: PrincipalKind, after name: String, limit: Int) throws -> [PrincipalRecord] {
        try connection.all(
            "SELECT name, email, sequence, record FROM principals WHERE kind = $1 AND name > $2 ORDER BY name LIMIT $3", kind, name, limit
        ) { row in
            PrincipalRecord(
                grantee: Grantee(kind, row.text(0)), email: row.optionalText(1), sequence: SequenceNumber(row.integer(2)),
                record: row.bytes(3))
        }
    }
}

extension PostgreSQLTransaction {
    func setPrincipal(_ principal: PrincipalRecord) throws {
        try connection.run(
            """
            INSERT INTO principals (kind, name, email, sequence, record) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (kind, name) DO UPDATE SET email = excluded.email, sequence = excluded.sequence, record = excluded.record
            """, principal.grantee.kind, principal.grantee.name, principal.email, principal.sequence, principal.record)
        changes.access.insert(principal.grantee)
    }

    func removePrincipal(_ grantee: Grantee) throws {
        try connection.run("DELETE FROM principals WHERE kind = $1 AND name = $2", grantee.kind, grantee.name)
        changes.access.insert(grantee)
    }
}
