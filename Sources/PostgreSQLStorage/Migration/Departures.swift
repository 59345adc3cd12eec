import Storage

extension PostgreSQLSnapshot {
    func departure(from collection: CollectionKey, id: String) throws -> DepartureRecord? {
        if let known = lookups.departure(from: collection, id: id) { return known }
        return try connection.first(
            "SELECT collection, id, document, sequence FROM departures WHERE collection = $1 AND id = $2", collection, id, row: departure)
    }

    func departures(of document: DocumentKey) throws -> [DepartureRecord] {
        try connection.all(
            "SELECT collection, id, document, sequence FROM departures WHERE document = $1 ORDER BY sequence", document, row: departure)
    }

    func departures(from collection: CollectionKey, _ stretch: FeedStretch, _ visit: (DepartureRecord) throws -> Void) throws {
        let query: StaticString =
            stretch.isDescending
            ? """
            SELECT collection, id, document, sequence FROM departures
            WHERE collection = $1 AND sequence > $2 AND (sequence, id) < ($3, $4) ORDER BY sequence DESC, id DESC LIMIT $5
            """
            : """
            SELECT collection, id, document, sequence FROM departures
            WHERE collection = $1 AND (sequence, id) > ($2, $4) AND sequence < $3 ORDER BY sequence, id LIMIT $5
            """
        // Behind every ID in an ascending read, and before every ID in a descending one.
        var (start, end, id) = (stretch.after, stretch.end, stretch.isDescending ? [] : IDRange.end)
        try PostgreSQLConnection.pages(limit: stretch.limit) { count in
            try connection.each(query, collection, start, end, id, count) { row in
                if stretch.isDescending { end = SequenceNumber(row.integer(3)) } else { start = SequenceNumber(row.integer(3)) }
                id = row.bytes(1)
                try visit(departure(row))
                return true
            }
        }
    }

    func returnSequence(of document: DocumentKey, to collection: CollectionKey) throws -> SequenceNumber? {
        try connection.first("SELECT sequence FROM returns WHERE document = $1 AND collection = $2", document, collection) {
            SequenceNumber($0.integer(0))
        }
    }

    func returns(to collection: CollectionKey, _ stretch: FeedStretch, _ visit: (DocumentKey, SequenceNumber) throws -> Void) throws {
        let query: StaticString =
            stretch.isDescending
            ? """
            SELECT document, sequence FROM returns
            WHERE collection = $1 AND sequence > $2 AND (sequence, document) < ($3, $4) ORDER BY sequence DESC, document DESC LIMIT $5
            """
            : """
            SELECT document, sequence FROM returns
            WHERE collection = $1 AND (sequence, document) > ($2, $4) AND sequence < $3 ORDER BY sequence, document LIMIT $5
            """
        var (start, end, document) = (stretch.after, stretch.end, DocumentKey(stretch.isDescending ? .min : .max))
        try PostgreSQLConnection.pages(limit: stretch.limit) { count in
            try connection.each(query, collection, start, end, document, count) { row in
                document = DocumentKey(row.integer(0))
                let sequence = SequenceNumber(row.integer(1))
                if stretch.isDescending { end = sequence } else { start = sequence }
                try visit(document, sequence)
                return true
            }
        }
    }

    /// The record of a row of `collection, id, document, sequence`.
    func departure(_ row: PostgreSQLRow) -> DepartureRecord {
        DepartureRecord(
            collection: CollectionKey(row.integer(0)), id: row.text(1), document: DocumentKey(row.integer(2)),
            sequence: SequenceNumber(row.integer(3)))
    }
}

extension PostgreSQLTransaction {
    func setDeparture(_ departure: DepartureRecord) throws {
        lookups.forgetDepartures()
        try touchFeeds(concernedBy: departure)
        try connection.run(
            """
            INSERT INTO departures (collection, id, document, sequence) VALUES ($1, $2, $3, $4)
            ON CONFLICT (collection, id) DO UPDATE SET document = excluded.document, sequence = excluded.sequence
            """, departure.collection, departure.id, departure.document, departure.sequence)
    }

    func setDeparture(_ departure: DepartureRecord, inPlaceOf id: String, from collection: CollectionKey) throws {
        try recordReturn(of: departure.document, as: id, to: collection, at: departure.sequence)
        try connection.run("DELETE FROM departures WHERE collection = $1 AND id = $2", collection, id)
        try setDeparture(departure)
    }

    func endDeparture(of document: DocumentKey, as id: String, from collection: CollectionKey, at sequence: SequenceNumber) throws {
        lookups.forgetDepartures()
        changes.touchEveryone()
        try recordReturn(of: document, as: id, to: collection, at: sequence)
        try connection.run("DELETE FROM departures WHERE collection = $1 AND id = $2", collection, id)
    }

    private func recordReturn(of document: DocumentKey, as id: String, to collection: CollectionKey, at sequence: SequenceNumber) throws {
        try connection.run(
            """
            INSERT INTO returns (document, collection, sequence)
            SELECT document, collection, $4 FROM departures WHERE collection = $2 AND id = $3 AND document = $1
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
