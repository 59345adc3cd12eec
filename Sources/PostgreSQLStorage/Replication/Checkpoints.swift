import Storage

extension PostgreSQLSnapshot {
    func localDocument(_ kind: LocalDocumentKind, in scope: FeedScope, id: String) throws -> LocalDocument? {
        try connection.first(
            "SELECT revision, body, modified, upstream FROM local_documents WHERE kind = $1 AND scope = $2 AND sha256(id) = sha256($3) AND id = $3",
            kind.rawValue, scope.number, id
        ) { row in
            LocalDocument(
                revision: row.integer(0), body: row.bytes(1), modified: row.integer(2), upstreamRevision: row.optionalText(3))
        }
    }

    func checkpointRecords(since time: Int64, limit: Int) throws -> [CheckpointRecord] {
        try connection.all(
            """
            SELECT kind, scope, id, user_name, generation, agent, position, first_seen, last_seen FROM sightings
            WHERE last_seen >= $1 ORDER BY last_seen DESC LIMIT $2
            """, time, limit
        ) { row in
            let (kind, scope) = try place(row.integer(0), row.integer(1))
            return CheckpointRecord(
                kind: kind, scope: scope, id: row.text(2), user: row.text(3), generation: Int(row.integer(4)), agent: row.text(5),
                position: row.optionalInteger(6).map { SequenceNumber($0) }, firstSeen: row.integer(7), lastSeen: row.integer(8))
        }
    }

    func checkpointGroups(since time: Int64, generation: Int?, limit: Int) throws -> [CheckpointGroup] {
        try connection.all(
            """
            SELECT kind, scope, user_name, generation, agent, min(position), count(*), min(first_seen), max(last_seen) FROM (
                SELECT * FROM sightings WHERE last_seen >= $1 AND ($2 IS NULL OR generation = $2) ORDER BY last_seen DESC LIMIT $3
            ) AS found GROUP BY user_name, generation, agent, kind, scope, position IS NULL ORDER BY user_name, generation, agent, scope, kind
            """, time, generation, limit
        ) { row in
            let (kind, scope) = try place(row.integer(0), row.integer(1))
            return CheckpointGroup(
                user: row.text(2), generation: Int(row.integer(3)), agent: row.text(4), kind: kind, scope: scope,
                position: row.optionalInteger(5).map { SequenceNumber($0) }, count: Int(row.integer(6)), firstSeen: row.integer(7),
                lastSeen: row.integer(8))
        }
    }

    private func place(_ kind: Int64, _ scope: Int64) throws -> (LocalDocumentKind, FeedScope) {
        guard let known = LocalDocumentKind(rawValue: kind) else {
            throw damaged("the record of a checkpoint has the unknown kind \(kind)")
        }
        return (known, scope == 0 ? .unified : .collection(CollectionKey(scope)))
    }

    func checkpointDays(since day: Int64) throws -> [CheckpointDay] {
        try connection.all(
            "SELECT day, generation, clients FROM sighting_days WHERE day >= $1 ORDER BY day, generation", day
        ) { CheckpointDay(day: $0.integer(0), generation: Int($0.integer(1)), clients: Int($0.integer(2))) }
    }

    func lowestPosition(seenSince time: Int64) throws -> SequenceNumber? {
        try connection.first(
            "SELECT position FROM sightings WHERE position IS NOT NULL AND last_seen >= $1 ORDER BY position LIMIT 1", time
        ) { SequenceNumber($0.integer(0)) }
    }

    func changeCount(_ scope: FeedScope, after position: SequenceNumber, upTo end: SequenceNumber?, limit: Int) throws -> Int {
        let end = end ?? SequenceNumber(.max)
        let count =
            switch scope {
            case .unified:
                try connection.first(
                    "SELECT count(*) FROM (SELECT 1 FROM documents WHERE sequence > $1 AND sequence <= $2 LIMIT $3) AS found", position,
                    end, limit
                ) { $0.integer(0) }
            case .collection(let key):
                try connection.first(
                    """
                    SELECT count(*) FROM (
                        SELECT 1 FROM documents WHERE collection = $4 AND collection_sequence > $1 AND collection_sequence <= $2 LIMIT $3) AS found
                    """, position, end, limit, key
                ) { $0.integer(0) }
            }
        return Int(count ?? 0)
    }

    func fence(around sequence: SequenceNumber) throws -> SequenceNumber? {
        try connection.first("SELECT lower FROM fences WHERE lower < $1 AND upper > $1", sequence) { SequenceNumber($0.integer(0)) }
    }

    func restored(before sequence: SequenceNumber) throws -> Int64? {
        try connection.first("SELECT max(raised) FROM fences WHERE upper <= $1", sequence) { $0.optionalInteger(0) } ?? nil
    }

    func restores() throws -> RestoreHistory {
        RestoreHistory(
            try connection.all("SELECT lower, raised FROM fences ORDER BY lower") {
                RestoreHistory.Restore(end: SequenceNumber($0.integer(0)), time: $0.integer(1))
            })
    }
}

extension PostgreSQLTransaction {
    func setLocalDocument(_ document: LocalDocument?, _ kind: LocalDocumentKind, in scope: FeedScope, id: String) throws {
        guard let document else {
            try connection.run(
                "DELETE FROM sightings WHERE kind = $1 AND scope = $2 AND sha256(id) = sha256($3) AND id = $3", kind.rawValue, scope.number,
                id)
            return try connection.run(
                "DELETE FROM local_documents WHERE kind = $1 AND scope = $2 AND sha256(id) = sha256($3) AND id = $3", kind.rawValue,
                scope.number, id)
        }
        try connection.run(
            """
            INSERT INTO local_documents (kind, scope, id, revision, modified, body, upstream) VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (kind, scope, sha256(id))
            DO UPDATE SET revision = excluded.revision, modified = excluded.modified, body = excluded.body, upstream = excluded.upstream
            """, kind.rawValue, scope.number, id, document.revision, document.modified, document.body, document.upstreamRevision)
    }

    func note(_ checkpointRecord: CheckpointRecord) throws {
        let day = checkpointRecord.lastSeen / CheckpointDay.length
        let last = try connection.first(
            "SELECT last_seen FROM sightings WHERE kind = $1 AND scope = $2 AND sha256(id) = sha256($3) AND id = $3",
            checkpointRecord.kind.rawValue,
            checkpointRecord.scope.number,
            checkpointRecord.id
        ) { $0.integer(0) }
        try connection.run(
            """
            INSERT INTO sightings (kind, scope, id, user_name, generation, agent, position, first_seen, last_seen)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
            ON CONFLICT (kind, scope, sha256(id)) DO UPDATE SET user_name = excluded.user_name, generation = excluded.generation, agent = excluded.agent,
                position = excluded.position, last_seen = excluded.last_seen
            """, checkpointRecord.kind.rawValue, checkpointRecord.scope.number, checkpointRecord.id, checkpointRecord.user,
            checkpointRecord.generation, checkpointRecord.agent,
            checkpointRecord.position, checkpointRecord.lastSeen)
        guard last.map({ $0 / CheckpointDay.length < day }) ?? true else { return }
        try connection.run(
            """
            INSERT INTO sighting_days AS s (day, generation, clients) VALUES ($1, $2, 1)
            ON CONFLICT (day, generation) DO UPDATE SET clients = s.clients + 1
            """, day, checkpointRecord.generation)
    }

    func setFence(from lower: SequenceNumber, to upper: SequenceNumber, at time: Int64) throws {
        // Clients may have read the feed up to the backup or beyond it.
        try recordReader()
        try connection.insertFence(from: lower, to: upper, at: time)
    }
}

extension PostgreSQLConnection {
    func insertFence(from lower: SequenceNumber, to upper: SequenceNumber, at time: Int64) throws {
        try run(
            """
            INSERT INTO fences (lower, upper, raised) VALUES ($1, $2, $3)
            ON CONFLICT (lower) DO UPDATE SET upper = excluded.upper, raised = excluded.raised
            """, lower, upper, time)
    }
}
