import Storage

extension PostgreSQLSnapshot {
    func grants(to grantee: Grantee) throws -> [GrantRecord] {
        try connection.all(
            """
            SELECT kind, collection, name, least(greatest(source, -1), 1), sequence, NULL::bigint FROM grants WHERE grantee_kind = $1 AND grantee = $2
            UNION ALL
            SELECT kind, collection, name, giver, granted, lost FROM lost_grants WHERE grantee_kind = $1 AND grantee = $2
            """, grantee.kind, grantee.name
        ) { row in
            guard let permission = Permission(kind: row.integer(0), collection: row.integer(1), name: row.text(2)),
                let giver = GrantSource.Giver(rawValue: row.integer(3))
            else { throw damaged("\(grantee) has a grant of the unknown kind \(row.integer(0)), giver \(row.integer(3))") }
            return GrantRecord(
                permission: permission, giver: giver, granted: SequenceNumber(row.integer(4)),
                lost: row.optionalInteger(5).map { SequenceNumber($0) })
        }
    }

    func grants(from source: GrantSource) throws -> [Grant] {
        try heldGrants(from: source).map(\.grant)
    }

    /// The grants of one source, each with its start.
    func heldGrants(from source: GrantSource) throws -> [(grant: Grant, sequence: SequenceNumber)] {
        if let grantee = source.grantee {
            return try connection.all(
                """
                SELECT grantee_kind, grantee, kind, collection, name, sequence FROM grants
                WHERE grantee_kind = $1 AND grantee = $2 AND source = $3
                """, grantee.kind, grantee.name, source.number, row: heldGrant)
        }
        return try connection.all(
            "SELECT grantee_kind, grantee, kind, collection, name, sequence FROM grants WHERE source = $1 AND source > 0", source.number,
            row: heldGrant)
    }

    private func heldGrant(_ row: PostgreSQLRow) throws -> (grant: Grant, sequence: SequenceNumber) {
        guard let kind = PrincipalKind(rawValue: row.integer(0)),
            let permission = Permission(kind: row.integer(2), collection: row.integer(3), name: row.text(4))
        else { throw damaged("a grant to \"\(row.text(1))\" is of an unknown kind") }
        return (Grant(to: Grantee(kind, row.text(1)), permission), SequenceNumber(row.integer(5)))
    }
}

extension PostgreSQLTransaction {
    @discardableResult
    func setGrants(_ grants: Set<Grant>, from source: GrantSource, at sequence: @autoclosure () throws -> SequenceNumber) throws -> Bool {
        let held = try heldGrants(from: source)
        if grants.isEmpty, held.isEmpty { return false }
        if let grantee = source.grantee, let other = grants.first(where: { $0.grantee != grantee }) {
            throw invalid("the record of \(grantee) cannot give anything to \(other.grantee)")
        }
        let gone = held.filter { !grants.contains($0.grant) }
        let new = grants.subtracting(held.map(\.grant))
        guard !gone.isEmpty || !new.isEmpty else { return false }
        let now = try sequence()
        for (grant, since) in gone {
            try revoke(grant, givenBy: source, since: since, at: now)
            changes.access.insert(grant.grantee)
        }
        for grant in new {
            try connection.run(
                "INSERT INTO grants (grantee_kind, grantee, kind, collection, name, source, sequence) VALUES ($1, $2, $3, $4, $5, $6, $7)",
                grant.grantee.kind, grant.grantee.name, grant.permission.kind, grant.permission.collection, grant.permission.name,
                source.number, now)
            changes.access.insert(grant.grantee)
        }
        return true
    }

    private func revoke(_ grant: Grant, givenBy source: GrantSource, since: SequenceNumber, at now: SequenceNumber) throws {
        let (grantee, permission) = (grant.grantee, grant.permission)
        try connection.run(
            """
            DELETE FROM grants
            WHERE grantee_kind = $1 AND grantee = $2 AND kind = $3 AND collection = $4 AND name = $5 AND source = $6
            """, grantee.kind, grantee.name, permission.kind, permission.collection, permission.name, source.number)
        if case .document = source {
            // If another document still makes the grant, it starts at the earlier of both sequences.
            let count = try connection.change(
                """
                UPDATE grants SET sequence = least(sequence, $6)
                WHERE grantee_kind = $1 AND grantee = $2 AND kind = $3 AND collection = $4 AND name = $5 AND source > 0
                """, grantee.kind, grantee.name, permission.kind, permission.collection, permission.name, since)
            guard count == 0 else { return }
        }
        // A grant made and revoked in the same change leaves no trace.
        guard since < now else { return }
        try recordLoss(of: grant, by: source.giver, from: since, until: now)
        try mergeLosses(of: grant, by: source.giver)
    }

    private func recordLoss(of grant: Grant, by giver: GrantSource.Giver, from granted: SequenceNumber, until lost: SequenceNumber) throws {
        try connection.run(
            """
            INSERT INTO lost_grants AS l (grantee_kind, grantee, kind, collection, name, giver, granted, lost)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (grantee_kind, grantee, kind, collection, name, giver, granted) DO UPDATE SET lost = greatest(l.lost, excluded.lost)
            """, grant.grantee.kind, grant.grantee.name, grant.permission.kind, grant.permission.collection, grant.permission.name,
            giver.rawValue, granted, lost)
    }

    private func mergeLosses(of grant: Grant, by giver: GrantSource.Giver) throws {
        let (grantee, permission) = (grant.grantee, grant.permission)
        let losses = try connection.all(
            """
            SELECT granted, lost FROM lost_grants
            WHERE grantee_kind = $1 AND grantee = $2 AND kind = $3 AND collection = $4 AND name = $5 AND giver = $6 ORDER BY granted
            """, grantee.kind, grantee.name, permission.kind, permission.collection, permission.name, giver.rawValue
        ) { (granted: SequenceNumber($0.integer(0)), lost: SequenceNumber($0.integer(1))) }
        guard losses.count > StoreLimits.lossesOfGrant else { return }
        try connection.run(
            """
            DELETE FROM lost_grants
            WHERE grantee_kind = $1 AND grantee = $2 AND kind = $3 AND collection = $4 AND name = $5 AND giver = $6 AND granted = $7
            """, grantee.kind, grantee.name, permission.kind, permission.collection, permission.name, giver.rawValue, losses[1].granted)
        try recordLoss(of: grant, by: giver, from: losses[0].granted, until: max(losses[0].lost, losses[1].lost))
    }

    func raiseGrants(of channel: String, to grantee: Grantee, at sequence: SequenceNumber) throws {
        let permission = Permission.channel(channel, .default)
        let count = try connection.change(
            """
            UPDATE grants SET sequence = $5
            WHERE grantee_kind = $1 AND grantee = $2 AND kind = $3 AND name = $4 AND sequence < $5
            """, grantee.kind, grantee.name, permission.kind, channel, sequence)
        if count > 0 { changes.access.insert(grantee) }
    }
}
