import Documents

extension SQLiteSnapshot {
    func sightings(since time: Int64, limit: Int) throws -> [Sighting] {
        try connection.all(
            """
            SELECT kind, scope, id, user, generation, agent, position, first_seen, last_seen FROM sightings
            WHERE last_seen >= ?1 ORDER BY last_seen DESC LIMIT ?2
            """, time, limit
        ) { row in
            let (kind, scope) = try place(row.integer(0), row.integer(1))
            return Sighting(
                kind: kind, scope: scope, id: row.text(2), user: row.text(3), generation: Int(row.integer(4)), agent: row.text(5),
                position: row.optionalInteger(6).map { Sequence($0) }, firstSeen: row.integer(7), lastSeen: row.integer(8))
        }
    }

    func sightingGroups(since time: Int64, generation: Int?, limit: Int) throws -> [SightingGroup] {
        try connection.all(
            """
            SELECT kind, scope, user, generation, agent, min(position), count(*), min(first_seen), max(last_seen) FROM (
                SELECT * FROM sightings WHERE last_seen >= ?1 AND (?2 IS NULL OR generation = ?2) ORDER BY last_seen DESC LIMIT ?3
            ) GROUP BY user, generation, agent, kind, scope, position IS NULL ORDER BY user, generation, agent, scope, kind
            """, time, generation, limit
        ) { row in
            let (kind, scope) = try place(row.integer(0), row.integer(1))
            return SightingGroup(
                user: row.text(2), generation: Int(row.integer(3)), agent: row.text(4), kind: kind, scope: scope,
                position: row.optionalInteger(5).map { Sequence($0) }, count: Int(row.integer(6)), firstSeen: row.integer(7),
                lastSeen: row.integer(8))
        }
    }

    private func place(_ kind: Int64, _ scope: Int64) throws -> (LocalDocumentKind, FeedScope) {
        guard let known = LocalDocumentKind(rawValue: kind) else { throw damaged("a sighting is of the unknown kind \(kind)") }
        return (known, scope == 0 ? .unified : .collection(CollectionKey(scope)))
    }

    func sightingDays(since day: Int64) throws -> [SightingDay] {
        try connection.all(
            "SELECT day, generation, clients FROM sighting_days WHERE day >= ?1 ORDER BY day, generation", day
        ) { SightingDay(day: $0.integer(0), generation: Int($0.integer(1)), clients: Int($0.integer(2))) }
    }

    func lowestPosition(seenSince time: Int64) throws -> Sequence? {
        try connection.first(
            "SELECT position FROM sightings WHERE position IS NOT NULL AND last_seen >= ?1 ORDER BY position LIMIT 1", time
        ) { Sequence($0.integer(0)) }
    }

    func changeCount(_ scope: FeedScope, after position: Sequence, upTo end: Sequence?, limit: Int) throws -> Int {
        let end = end ?? Sequence(.max)
        let count =
            switch scope {
            case .unified:
                try connection.first(
                    "SELECT count(*) FROM (SELECT 1 FROM documents WHERE sequence > ?1 AND sequence <= ?2 LIMIT ?3)", position, end, limit
                ) { $0.integer(0) }
            case .collection(let key):
                try connection.first(
                    """
                    SELECT count(*) FROM (
                        SELECT 1 FROM documents WHERE collection = ?4 AND collection_sequence > ?1 AND collection_sequence <= ?2 LIMIT ?3)
                    """, position, end, limit, key
                ) { $0.integer(0) }
            }
        return Int(count ?? 0)
    }

    func historyMark(of document: DocumentKey, upTo sequence: Sequence) throws -> HistoryMark? {
        try connection.first(
            "SELECT sequence, revision FROM history_marks WHERE document = ?1 AND sequence <= ?2 ORDER BY sequence DESC LIMIT 1",
            document, sequence
        ) { row in
            guard let revision = row.withBytes(1, { RevisionID(utf8: $0) }) else {
                throw damaged("'\(row.text(1))' stands as a revision in the history of document \(document.value)")
            }
            return HistoryMark(sequence: Sequence(row.integer(0)), revision: revision)
        }
    }

    func fence(around sequence: Sequence) throws -> Sequence? {
        try connection.first("SELECT lower FROM fences WHERE lower < ?1 AND upper > ?1", sequence) { Sequence($0.integer(0)) }
    }

    func restored(before sequence: Sequence) throws -> Int64? {
        try connection.first("SELECT max(raised) FROM fences WHERE upper <= ?1", sequence) { $0.optionalInteger(0) } ?? nil
    }
}
