extension SQLiteTransaction {
    func park(_ revisions: [ParkedRevision]) throws {
        var room: Int?
        for revision in revisions {
            guard try !parkAgain(revision) else { continue }
            let free = try room ?? makeRoom(for: revisions.count)
            room = free
            guard free > 0, revision.id.utf8.count <= ParkedRevision.maximumIDLength else {
                try connection.run(
                    """
                    INSERT INTO parked_surplus (replication, direction, count) VALUES (?1, ?2, 1)
                    ON CONFLICT (replication, direction) DO UPDATE SET count = count + 1
                    """, revision.replication, revision.direction.rawValue)
                continue
            }
            room = free - 1
            try connection.run(
                """
                INSERT INTO parked_revisions
                    (replication, direction, collection, id, revision, domain, code, reason, first_seen, last_seen, attempts)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
                """, revision.replication, revision.direction.rawValue, revision.collection, revision.id, revision.revision,
                revision.domain, revision.code, revision.reason, revision.firstSeen, revision.lastSeen, revision.attempts)
        }
    }

    /// - Returns: Whether it is parked already.
    private func parkAgain(_ revision: ParkedRevision) throws -> Bool {
        try connection.run(
            """
            UPDATE parked_revisions SET domain = ?6, code = ?7, reason = ?8, last_seen = ?9, attempts = attempts + 1, is_forgotten = 0
            WHERE replication = ?1 AND direction = ?2 AND collection = ?3 AND id = ?4 AND revision = ?5
            """, revision.replication, revision.direction.rawValue, revision.collection, revision.id, revision.revision, revision.domain,
            revision.code, revision.reason, revision.lastSeen)
        return connection.changes > 0
    }

    /// - Returns: How many more can be kept.
    private func makeRoom(for count: Int) throws -> Int {
        let room = ParkedRevision.maximumCount - (try keptCount())
        guard room < count else { return room }
        try connection.run("DELETE FROM parked_revisions WHERE is_forgotten")
        return ParkedRevision.maximumCount - (try keptCount())
    }

    private func keptCount() throws -> Int {
        Int(try connection.first("SELECT count(*) FROM parked_revisions") { $0.integer(0) } ?? 0)
    }

    func releaseParked(_ key: Int64) throws {
        try connection.run("DELETE FROM parked_revisions WHERE key = ?1", key)
    }

    func forgetParked(_ selection: ParkedSelection) throws -> Int {
        let count = try parkedCount(selection)
        // A pull is offered by the server, which keeps no account of what was refused here.
        try connection.run(
            """
            DELETE FROM parked_revisions
            WHERE direction = ?5 AND (?1 IS NULL OR replication = ?1) AND (?2 IS NULL OR direction = ?2)
                AND (?3 IS NULL OR collection = ?3) AND (?4 IS NULL OR id = ?4)
            """, selection.replication, selection.direction?.rawValue, selection.collection, selection.id, ParkedDirection.pull.rawValue)
        try connection.run(
            """
            UPDATE parked_revisions SET is_forgotten = 1
            WHERE direction = ?5 AND (?1 IS NULL OR replication = ?1) AND (?2 IS NULL OR direction = ?2)
                AND (?3 IS NULL OR collection = ?3) AND (?4 IS NULL OR id = ?4)
            """, selection.replication, selection.direction?.rawValue, selection.collection, selection.id, ParkedDirection.push.rawValue)
        if selection.includesSurplus { try forgetParkedSurplus(selection) }
        return count
    }

    func forgetParkedSurplus(_ selection: ParkedSelection) throws {
        try connection.run(
            "DELETE FROM parked_surplus WHERE (?1 IS NULL OR replication = ?1) AND (?2 IS NULL OR direction = ?2)",
            selection.replication, selection.direction?.rawValue)
    }
}
