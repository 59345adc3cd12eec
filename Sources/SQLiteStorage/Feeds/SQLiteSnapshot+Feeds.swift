import Storage

extension SQLiteSnapshot {
    func feed(_ scope: FeedScope, _ stretch: FeedStretch, _ visit: (FeedRow) throws -> Bool) throws {
        switch (scope, stretch.isDescending) {
        case (.unified, false):
            try connection.each(
                """
                SELECT key, sequence, unified_id, revision, flags, collection, body_size FROM documents
                WHERE sequence > ?1 AND sequence < ?2 ORDER BY sequence LIMIT ?3
                """, stretch.after, stretch.end, stretch.limit
            ) { try visit(feedRow($0)) }
        case (.unified, true):
            try connection.each(
                """
                SELECT key, sequence, unified_id, revision, flags, collection, body_size FROM documents
                WHERE sequence > ?1 AND sequence < ?2 ORDER BY sequence DESC LIMIT ?3
                """, stretch.after, stretch.end, stretch.limit
            ) { try visit(feedRow($0)) }
        case (.collection(let collection), false):
            try connection.each(
                """
                SELECT key, collection_sequence, coalesce(local_id, unified_id), revision, flags, collection, body_size FROM documents
                WHERE collection = ?1 AND collection_sequence > ?2 AND collection_sequence < ?3 ORDER BY collection_sequence LIMIT ?4
                """, collection, stretch.after, stretch.end, stretch.limit
            ) { try visit(feedRow($0)) }
        case (.collection(let collection), true):
            try connection.each(
                """
                SELECT key, collection_sequence, coalesce(local_id, unified_id), revision, flags, collection, body_size FROM documents
                WHERE collection = ?1 AND collection_sequence > ?2 AND collection_sequence < ?3 ORDER BY collection_sequence DESC LIMIT ?4
                """, collection, stretch.after, stretch.end, stretch.limit
            ) { try visit(feedRow($0)) }
        }
    }

    /// The row of `key, sequence, id, revision, flags, collection, body_size`.
    @inline(__always)
    func feedRow(_ row: Row) -> FeedRow {
        FeedRow(
            key: DocumentKey(row.integer(0)), sequence: SequenceNumber(row.integer(1)), id: row.text(2), revision: row.text(3),
            flags: DocumentFlags(rawValue: row.integer(4)), collection: CollectionKey(row.integer(5)), bodySize: Int(row.integer(6)))
    }
}
