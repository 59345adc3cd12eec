import Documents

extension SQLiteSnapshot {
    func sightings(since time: Int64, limit: Int) throws -> [Sighting] {
        try connection.all(
            """
            SELECT kind, scope, id, user, generation, agent, position, first_seen, last_seen FROM sightings
            WHERE last_seen >= ?1 ORDER BY last_seen DESC LIMIT ?2
            """, time, limit
        ) { row in
            guard let kind = LocalDocumentKind(rawValue: row.integer(0)) else {
                throw damaged("a sighting is of the unknown kind \(row.integer(0))")
            }
            let scope: FeedScope = row.integer(1) == 0 ? .unified : .collection(CollectionKey(row.integer(1)))
            return Sighting(
                kind: kind, scope: scope, id: row.text(2), user: row.text(3), generation: Int(row.integer(4)), agent: row.text(5),
                position: row.optionalInteger(6).map { Sequence($0) }, firstSeen: row.integer(7), lastSeen: row.integer(8))
        }
    }

    func sightingCount(ofGeneration generation: Int, since time: Int64) throws -> Int {
        Int(
            try connection.first("SELECT count(*) FROM sightings WHERE last_seen >= ?1 AND generation = ?2", time, generation) {
                $0.integer(0)
            } ?? 0)
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

    func changeCount(_ scope: FeedScope, after position: Sequence, limit: Int) throws -> Int {
        let count =
            switch scope {
            case .unified:
                try connection.first(
                    "SELECT count(*) FROM (SELECT 1 FROM documents WHERE sequence > ?1 LIMIT ?2)", position, limit
                ) { $0.integer(0) }
            case .collection(let key):
                try connection.first(
                    "SELECT count(*) FROM (SELECT 1 FROM documents WHERE collection = ?3 AND collection_sequence > ?1 LIMIT ?2)",
                    position, limit, key
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
}
