extension SQLiteTransaction {
    /// How many times somebody lost the same thing are told apart. Of more, the oldest become one.
    private static var lossesKept: Int { 10 }

    @discardableResult
    func setGrants(_ grants: Set<Grant>, from source: GrantSource, at sequence: @autoclosure () throws -> Sequence) throws -> Bool {
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
            try take(grant, givenBy: source, since: since, at: now)
            changes.access.insert(grant.grantee)
        }
        for grant in new {
            try connection.run(
                "INSERT INTO grants (grantee_kind, grantee, kind, collection, name, source, sequence) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                grant.grantee.kind, grant.grantee.name, grant.permission.kind, grant.permission.collection, grant.permission.name,
                source.number, now)
            changes.access.insert(grant.grantee)
        }
        return true
    }

    private func take(_ grant: Grant, givenBy source: GrantSource, since: Sequence, at now: Sequence) throws {
        let (grantee, permission) = (grant.grantee, grant.permission)
        try connection.run(
            """
            DELETE FROM grants
            WHERE grantee_kind = ?1 AND grantee = ?2 AND kind = ?3 AND collection = ?4 AND name = ?5 AND source = ?6
            """, grantee.kind, grantee.name, permission.kind, permission.collection, permission.name, source.number)
        if case .document = source {
            // What another document still gives has been held since the earlier of both.
            try connection.run(
                """
                UPDATE grants SET sequence = min(sequence, ?6)
                WHERE grantee_kind = ?1 AND grantee = ?2 AND kind = ?3 AND collection = ?4 AND name = ?5 AND source > 0
                """, grantee.kind, grantee.name, permission.kind, permission.collection, permission.name, since)
            guard connection.changes == 0 else { return }
        }
        // What was given and taken in one change was never there.
        guard since < now else { return }
        try recordLoss(of: grant, by: source.giver, from: since, until: now)
        try mergeLosses(of: grant, by: source.giver)
    }

    private func recordLoss(of grant: Grant, by giver: GrantSource.Giver, from granted: Sequence, until lost: Sequence) throws {
        try connection.run(
            """
            INSERT INTO lost_grants (grantee_kind, grantee, kind, collection, name, giver, granted, lost)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (grantee_kind, grantee, kind, collection, name, giver, granted) DO UPDATE SET lost = max(lost, excluded.lost)
            """, grant.grantee.kind, grant.grantee.name, grant.permission.kind, grant.permission.collection, grant.permission.name,
            giver.rawValue, granted, lost)
    }

    private func mergeLosses(of grant: Grant, by giver: GrantSource.Giver) throws {
        let (grantee, permission) = (grant.grantee, grant.permission)
        let losses = try connection.all(
            """
            SELECT granted, lost FROM lost_grants
            WHERE grantee_kind = ?1 AND grantee = ?2 AND kind = ?3 AND collection = ?4 AND name = ?5 AND giver = ?6 ORDER BY granted
            """, grantee.kind, grantee.name, permission.kind, permission.collection, permission.name, giver.rawValue
        ) { (granted: Sequence($0.integer(0)), lost: Sequence($0.integer(1))) }
        guard losses.count > Self.lossesKept else { return }
        try connection.run(
            """
            DELETE FROM lost_grants
            WHERE grantee_kind = ?1 AND grantee = ?2 AND kind = ?3 AND collection = ?4 AND name = ?5 AND giver = ?6 AND granted = ?7
            """, grantee.kind, grantee.name, permission.kind, permission.collection, permission.name, giver.rawValue, losses[1].granted)
        try recordLoss(of: grant, by: giver, from: losses[0].granted, until: max(losses[0].lost, losses[1].lost))
    }
}
