import Storage

extension PostgreSQLSnapshot {
    func feed(_ scope: FeedScope, _ stretch: FeedStretch, _ visit: (FeedRow) throws -> Bool) throws {
        var (start, end) = (stretch.after, stretch.end)
        func pass(_ row: PostgreSQLRow) throws -> Bool {
            let found = feedRow(row)
            if stretch.isDescending { end = found.sequence } else { start = found.sequence }
            return try visit(found)
        }
        try PostgreSQLConnection.pages(limit: stretch.limit) { count in
            switch (scope, stretch.isDescending) {
            case (.unified, false):
                try connection.each(
                    """
                    SELECT key, sequence, unified_id, revision, flags, collection, body_size FROM documents
                    WHERE sequence > $1 AND sequence < $2 ORDER BY sequence LIMIT $3
                    """, start, end, count, row: pass)
            case (.unified, true):
                try connection.each(
                    """
                    SELECT key, sequence, unified_id, revision, flags, collection, body_size FROM documents
                    WHERE sequence > $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3
                    """, start, end, count, row: pass)
            case (.collection(let collection), false):
                try connection.each(
                    """
                    SELECT key, collection_sequence, coalesce(local_id, unified_id), revision, flags, collection, body_size FROM documents
                    WHERE collection = $1 AND collection_sequence > $2 AND collection_sequence < $3 ORDER BY collection_sequence LIMIT $4
                    """, collection, start, end, count, row: pass)
            case (.collection(let collection), true):
                try connection.each(
                    """
                    SELECT key, collection_sequence, coalesce(local_id, unified_id), revision, flags, collection, body_size FROM documents
                    WHERE collection = $1 AND collection_sequence > $2 AND collection_sequence < $3
                    ORDER BY collection_sequence DESC LIMIT $4
                    """, collection, start, end, count, row: pass)
            }
        }
    }

    /// The row of `key, sequence, id, revision, flags, collection, body_size`.
    func feedRow(_ row: PostgreSQLRow) -> FeedRow {
        FeedRow(
            key: DocumentKey(row.integer(0)), sequence: SequenceNumber(row.integer(1)), id: row.text(2), revision: row.text(3),
            flags: DocumentFlags(rawValue: row.integer(4)), collection: CollectionKey(row.integer(5)), bodySize: Int(row.integer(6)))
    }
}
