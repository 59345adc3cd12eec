import Storage

extension SQLiteSnapshot {
    func departure(from collection: CollectionKey, id: String) throws -> DepartureRecord? {
        try connection.first(
            "SELECT collection, id, document, sequence FROM departures WHERE collection = ?1 AND id = ?2", collection, id, row: departure)
    }

    func departures(of document: DocumentKey) throws -> [DepartureRecord] {
        try connection.all(
            "SELECT collection, id, document, sequence FROM departures WHERE document = ?1 ORDER BY sequence", document, row: departure)
    }

    func departures(from collection: CollectionKey, _ stretch: FeedStretch, _ visit: (DepartureRecord) throws -> Void) throws {
        let query: StaticString =
            stretch.isDescending
            ? """
            SELECT collection, id, document, sequence FROM departures
            WHERE collection = ?1 AND sequence > ?2 AND sequence < ?3 ORDER BY sequence DESC LIMIT ?4
            """
            : """
            SELECT collection, id, document, sequence FROM departures
            WHERE collection = ?1 AND sequence > ?2 AND sequence < ?3 ORDER BY sequence LIMIT ?4
            """
        try connection.each(query, collection, stretch.after, stretch.end, stretch.limit) { row in
            try visit(departure(row))
            return true
        }
    }

    func returnSequence(of document: DocumentKey, to collection: CollectionKey) throws -> SequenceNumber? {
        try connection.first("SELECT sequence FROM returns WHERE document = ?1 AND collection = ?2", document, collection) {
            SequenceNumber($0.integer(0))
        }
    }

    func returns(to collection: CollectionKey, _ stretch: FeedStretch, _ visit: (DocumentKey, SequenceNumber) throws -> Void) throws {
        let query: StaticString =
            stretch.isDescending
            ? """
            SELECT document, sequence FROM returns
            WHERE collection = ?1 AND sequence > ?2 AND sequence < ?3 ORDER BY sequence DESC LIMIT ?4
            """
            : """
            SELECT document, sequence FROM returns
            WHERE collection = ?1 AND sequence > ?2 AND sequence < ?3 ORDER BY sequence LIMIT ?4
            """
        try connection.each(query, collection, stretch.after, stretch.end, stretch.limit) { row in
            try visit(DocumentKey(row.integer(0)), SequenceNumber(row.integer(1)))
            return true
        }
    }

    /// The record of a row of `collection, id, document, sequence`.
    private func departure(_ row: Row) -> DepartureRecord {
        DepartureRecord(
            collection: CollectionKey(row.integer(0)), id: row.text(1), document: DocumentKey(row.integer(2)),
            sequence: SequenceNumber(row.integer(3)))
    }
}

extension SQLiteTransaction {
    func setDeparture(_ departure: DepartureRecord) throws {
        try touchFeeds(concernedBy: departure)
        try connection.run(
            """
            INSERT INTO departures (collection, id, document, sequence) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (collection, id) DO UPDATE SET document = excluded.document, sequence = excluded.sequence
            """, departure.collection, departure.id, departure.document, departure.sequence)
    }

    func setDeparture(_ departure: DepartureRecord, inPlaceOf id: String, from collection: CollectionKey) throws {
        try recordReturn(of: departure.document, as: id, to: collection, at: departure.sequence)
        // A returning document adds one departure and removes another, so the row is updated in place.
        try connection.run(
            """
            UPDATE OR REPLACE departures SET collection = ?1, id = ?2, document = ?3, sequence = ?4 WHERE collection = ?5 AND id = ?6
            """, departure.collection, departure.id, departure.document, departure.sequence, collection, id)
        if connection.changes == 0 { return try setDeparture(departure) }
        try touchFeeds(concernedBy: departure)
    }

    func endDeparture(of document: DocumentKey, as id: String, from collection: CollectionKey, at sequence: SequenceNumber) throws {
        changes.touchEveryone()
        try recordReturn(of: document, as: id, to: collection, at: sequence)
        try connection.run("DELETE FROM departures WHERE collection = ?1 AND id = ?2", collection, id)
    }

    private func recordReturn(of document: DocumentKey, as id: String, to collection: CollectionKey, at sequence: SequenceNumber) throws {
        try connection.run(
            """
            INSERT INTO returns (document, collection, sequence)
            SELECT document, collection, ?4 FROM departures WHERE collection = ?2 AND id = ?3 AND document = ?1
            ON CONFLICT (document, collection) DO UPDATE SET sequence = excluded.sequence
            """, document, collection, id, sequence)
    }

    /// Marks the feeds that a departure affects. A move does not change the unified feed. If grants for single collections exist, the move may
    /// change what a user sees of it.
    private func touchFeeds(concernedBy departure: DepartureRecord) throws {
        changes.touchEveryone()
        let differ = try connection.first("SELECT 1 FROM grants WHERE collection > 1 LIMIT 1") { _ in true } ?? false
        if differ { changes.touch(.unified) }
    }
}
