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

    func returnSequence(of document: DocumentKey, to collection: CollectionKey) throws -> Sequence? {
        try connection.first("SELECT sequence FROM returns WHERE document = ?1 AND collection = ?2", document, collection) {
            Sequence($0.integer(0))
        }
    }

    func returns(to collection: CollectionKey, _ stretch: FeedStretch, _ visit: (DocumentKey, Sequence) throws -> Void) throws {
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
            try visit(DocumentKey(row.integer(0)), Sequence(row.integer(1)))
            return true
        }
    }

    /// The record of a row of `collection, id, document, sequence`.
    private func departure(_ row: Row) -> DepartureRecord {
        DepartureRecord(
            collection: CollectionKey(row.integer(0)), id: row.text(1), document: DocumentKey(row.integer(2)),
            sequence: Sequence(row.integer(3)))
    }
}
