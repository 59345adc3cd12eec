extension SQLiteSnapshot {
    func principal(_ grantee: Grantee) throws -> PrincipalRecord? {
        try connection.first(
            "SELECT email, sequence, record FROM principals WHERE kind = ?1 AND name = ?2", grantee.kind, grantee.name
        ) { row in
            PrincipalRecord(grantee: grantee, email: row.optionalText(0), sequence: Sequence(row.integer(1)), record: row.bytes(2))
        }
    }

    func user(email: String) throws -> PrincipalRecord? {
        try connection.first(
            "SELECT name, sequence, record FROM principals WHERE email = ?1 AND kind = 0 ORDER BY key LIMIT 1", email
        ) { row in
            PrincipalRecord(
                grantee: .user(row.text(0)), email: email, sequence: Sequence(row.integer(1)), record: row.bytes(2))
        }
    }

    func userNames(email: String, limit: Int) throws -> [String] {
        try connection.all("SELECT name FROM principals WHERE email = ?1 AND kind = 0 ORDER BY key LIMIT ?2", email, limit) { $0.text(0) }
    }

    func principals(_ kind: PrincipalKind, after name: String, limit: Int) throws -> [PrincipalRecord] {
        try connection.all(
            "SELECT name, email, sequence, record FROM principals WHERE kind = ?1 AND name > ?2 ORDER BY name LIMIT ?3", kind, name, limit
        ) { row in
            PrincipalRecord(
                grantee: Grantee(kind, row.text(0)), email: row.optionalText(1), sequence: Sequence(row.integer(2)), record: row.bytes(3))
        }
    }

    func grants(to grantee: Grantee) throws -> [GrantRecord] {
        try connection.all(
            """
            SELECT kind, collection, name, min(max(source, -1), 1), sequence, NULL FROM grants WHERE grantee_kind = ?1 AND grantee = ?2
            UNION ALL
            SELECT kind, collection, name, giver, granted, lost FROM lost_grants WHERE grantee_kind = ?1 AND grantee = ?2
            """, grantee.kind, grantee.name
        ) { row in
            guard let permission = Permission(kind: row.integer(0), collection: row.integer(1), name: row.text(2)),
                let giver = GrantSource.Giver(rawValue: row.integer(3))
            else { throw damaged("\(grantee) has a grant of the unknown kind \(row.integer(0)), giver \(row.integer(3))") }
            return GrantRecord(
                permission: permission, giver: giver, granted: Sequence(row.integer(4)), lost: row.optionalInteger(5).map { Sequence($0) })
        }
    }

    func grants(from source: GrantSource) throws -> [Grant] {
        try heldGrants(from: source).map(\.grant)
    }

    /// What one source gives, each with the sequence since when.
    func heldGrants(from source: GrantSource) throws -> [(grant: Grant, sequence: Sequence)] {
        if let grantee = source.grantee {
            return try connection.all(
                """
                SELECT grantee_kind, grantee, kind, collection, name, sequence FROM grants
                WHERE grantee_kind = ?1 AND grantee = ?2 AND source = ?3
                """, grantee.kind, grantee.name, source.number, row: heldGrant)
        }
        return try connection.all(
            "SELECT grantee_kind, grantee, kind, collection, name, sequence FROM grants WHERE source = ?1 AND source > 0", source.number,
            row: heldGrant)
    }

    private func heldGrant(_ row: Row) throws -> (grant: Grant, sequence: Sequence) {
        guard let kind = PrincipalKind(rawValue: row.integer(0)),
            let permission = Permission(kind: row.integer(2), collection: row.integer(3), name: row.text(4))
        else { throw damaged("a grant to \"\(row.text(1))\" is of an unknown kind") }
        return (Grant(to: Grantee(kind, row.text(1)), permission), Sequence(row.integer(5)))
    }

    func session(_ key: [UInt8]) throws -> SessionRecord? {
        try connection.first("SELECT user, generation, created, expires, ttl FROM sessions WHERE key = ?1", key) { row in
            SessionRecord(
                key: key, user: row.text(0), generation: row.integer(1), created: row.integer(2), expires: row.integer(3),
                timeToLive: row.integer(4))
        }
    }
}
