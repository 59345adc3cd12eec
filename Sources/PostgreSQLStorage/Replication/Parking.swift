import Storage

extension PostgreSQLSnapshot {
    func parkedCount(_ selection: ParkedSelection) throws -> Int {
        let kept = try connection.first(
            """
            SELECT count(*) FROM parked_revisions
            WHERE ($1 IS NULL OR replication = $1) AND ($2 IS NULL OR direction = $2) AND ($3 IS NULL OR collection = $3)
                AND ($4 IS NULL OR id = $4) AND ($5 OR NOT is_forgotten)
            """, selection.replication, selection.direction?.rawValue, selection.collection, selection.id, selection.includesForgotten
        ) { $0.integer(0) }
        guard selection.includesSurplus else { return Int(kept ?? 0) }
        let surplus = try connection.first(
            "SELECT coalesce(sum(count), 0)::bigint FROM parked_surplus WHERE ($1 IS NULL OR replication = $1) AND ($2 IS NULL OR direction = $2)",
            selection.replication, selection.direction?.rawValue
        ) { $0.integer(0) }
        return Int(kept ?? 0) + Int(surplus ?? 0)
    }

    func parked(_ selection: ParkedSelection, by order: ParkedOrder, skip: Int, limit: Int) throws -> [ParkedRevision] {
        try connection.all(
            """
            SELECT key, replication, direction, collection, id, revision, domain, code, reason, first_seen, last_seen, attempts
            FROM parked_revisions
            WHERE ($1 IS NULL OR replication = $1) AND ($2 IS NULL OR direction = $2) AND ($3 IS NULL OR collection = $3)
                AND ($4 IS NULL OR id = $4) AND ($5 OR NOT is_forgotten)
            ORDER BY CASE WHEN $6 THEN last_seen END, key LIMIT $7 OFFSET $8
            """, selection.replication, selection.direction?.rawValue, selection.collection, selection.id, selection.includesForgotten,
            order == .longestUntried, limit, skip, row: parkedRevision)
    }

    func parked(of replication: String, _ direction: ParkedDirection, collection: String, id: String) throws -> [ParkedRevision] {
        try connection.all(
            """
            SELECT key, replication, direction, collection, id, revision, domain, code, reason, first_seen, last_seen, attempts
            FROM parked_revisions
            WHERE replication = $1 AND direction = $2 AND collection = $3 AND sha256(id) = sha256($4) AND id = $4 ORDER BY key
            """, replication, direction.rawValue, collection, id, row: parkedRevision)
    }

    func parked(_ key: Int64) throws -> ParkedRevision? {
        try connection.first(
            """
            SELECT key, replication, direction, collection, id, revision, domain, code, reason, first_seen, last_seen, attempts
            FROM parked_revisions WHERE key = $1 AND NOT is_forgotten
            """, key, row: parkedRevision)
    }

    private func parkedRevision(_ row: PostgreSQLRow) throws -> ParkedRevision {
        guard let direction = ParkedDirection(rawValue: row.integer(2)) else {
            throw damaged("parked revision \(row.integer(0)) has the unknown direction \(row.integer(2))")
        }
        var revision = ParkedRevision(
            replication: row.text(1), direction: direction, collection: row.text(3), id: row.text(4), revision: row.text(5),
            domain: row.text(6), code: Int(row.integer(7)), reason: row.text(8), time: row.integer(9))
        revision.key = row.integer(0)
        revision.lastSeen = row.integer(10)
        revision.attempts = Int(row.integer(11))
        return revision
    }
}

extension PostgreSQLTransaction {
    func park(_ revisions: [ParkedRevision]) throws {
        var room: Int?
        for revision in revisions {
            guard try !parkAgain(revision) else { continue }
            let free = try room ?? makeRoom(for: revisions.count)
            room = free
            guard free > 0, revision.id.utf8.count <= ParkedRevision.maximumIDLength else {
                try connection.run(
                    """
                    INSERT INTO parked_surplus AS s (replication, direction, count) VALUES ($1, $2, 1)
                    ON CONFLICT (replication, direction) DO UPDATE SET count = s.count + 1
                    """, revision.replication, revision.direction.rawValue)
                continue
            }
            room = free - 1
            try connection.run(
                """
                INSERT INTO parked_revisions
                    (replication, direction, collection, id, revision, domain, code, reason, first_seen, last_seen, attempts)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """, revision.replication, revision.direction.rawValue, revision.collection, revision.id, revision.revision,
                revision.domain, revision.code, revision.reason, revision.firstSeen, revision.lastSeen, revision.attempts)
        }
    }

    /// Updates a revision that is parked already.
    ///
    /// - Returns: Whether it was parked.
    private func parkAgain(_ revision: ParkedRevision) throws -> Bool {
        let count = try connection.change(
            """
            UPDATE parked_revisions
            SET domain = $6, code = $7, reason = $8, last_seen = $9, attempts = attempts + 1, is_forgotten = false
            WHERE replication = $1 AND direction = $2 AND collection = $3 AND sha256(id) = sha256($4) AND id = $4
                AND sha256(revision) = sha256($5) AND revision = $5
            """, revision.replication, revision.direction.rawValue, revision.collection, revision.id, revision.revision, revision.domain,
            revision.code, revision.reason, revision.lastSeen)
        return count > 0
    }

    /// Deletes forgotten revisions if the list has no room for `count` more.
    ///
    /// - Returns: The number of revisions that the list has room for.
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
        try connection.run("DELETE FROM parked_revisions WHERE key = $1", key)
    }

    func forgetParked(_ selection: ParkedSelection) throws -> Int {
        let count = try parkedCount(selection)
        // Forgotten pulls are deleted: the server does not record what was refused here.
        try connection.run(
            """
            DELETE FROM parked_revisions
            WHERE direction = $5 AND ($1 IS NULL OR replication = $1) AND ($2 IS NULL OR direction = $2)
                AND ($3 IS NULL OR collection = $3) AND ($4 IS NULL OR id = $4)
            """, selection.replication, selection.direction?.rawValue, selection.collection, selection.id, ParkedDirection.pull.rawValue)
        try connection.run(
            """
            UPDATE parked_revisions SET is_forgotten = true
            WHERE direction = $5 AND ($1 IS NULL OR replication = $1) AND ($2 IS NULL OR direction = $2)
                AND ($3 IS NULL OR collection = $3) AND ($4 IS NULL OR id = $4)
            """, selection.replication, selection.direction?.rawValue, selection.collection, selection.id, ParkedDirection.push.rawValue)
        if selection.includesSurplus { try forgetParkedSurplus(selection) }
        return count
    }

    func forgetParkedSurplus(_ selection: ParkedSelection) throws {
        try connection.run(
            "DELETE FROM parked_surplus WHERE ($1 IS NULL OR replication = $1) AND ($2 IS NULL OR direction = $2)",
            selection.replication, selection.direction?.rawValue)
    }
}
