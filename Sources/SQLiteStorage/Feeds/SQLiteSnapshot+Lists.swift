import Storage

extension SQLiteSnapshot {
    func list(_ scope: FeedScope, range: ListRange, limit: Int, _ visit: (FeedRow) throws -> Bool) throws {
        // `from` and `to` follow the listing's order, so a descending listing begins at the upper end.
        let first = range.from.map { IDBound.text($0) } ?? (range.descending ? .end : .start)
        let last = range.to.map { IDBound.text($0) } ?? (range.descending ? .start : .end)
        let (lower, upper) = range.descending ? (last, first) : (first, last)
        // Rows with any of these flags are skipped.
        let without: DocumentFlags = range.includesDeleted ? [] : .deleted
        var remaining = limit
        func pass(_ row: Row) throws -> Bool {
            let found = feedRow(row)
            // An excluded end occurs at most once.
            if !range.includesTo, range.to?.utf8.elementsEqual(found.id.utf8) == true { return true }
            remaining -= 1
            return try visit(found) && remaining > 0
        }
        guard limit > 0 else { return }
        if case .collection(let collection) = scope, try isSorted(scope) {
            return try listSorted(collection, range, lower, upper, without, row: pass)
        }
        switch (scope, range.descending) {
        case (.unified, false):
            try connection.each(
                """
                SELECT key, sequence, unified_id, revision, flags, collection, body_size FROM documents
                WHERE unified_id >= ?1 AND unified_id <= ?2 AND flags & ?3 = 0 ORDER BY unified_id
                """, lower, upper, without, row: pass)
        case (.unified, true):
            try connection.each(
                """
                SELECT key, sequence, unified_id, revision, flags, collection, body_size FROM documents
                WHERE unified_id >= ?1 AND unified_id <= ?2 AND flags & ?3 = 0 ORDER BY unified_id DESC
                """, lower, upper, without, row: pass)
        case (.collection(let collection), false):
            // SQLite merges the two indexes, without sorting.
            try connection.each(
                """
                SELECT key, collection_sequence, unified_id AS id, revision, flags, collection, body_size
                FROM documents INDEXED BY documents_by_unified_id
                WHERE unified_id >= ?1 AND unified_id <= ?2 AND flags & ?3 = 0 AND collection = ?4 AND local_id IS NULL
                UNION ALL
                SELECT key, collection_sequence, local_id AS id, revision, flags, collection, body_size
                FROM documents INDEXED BY documents_by_local_id
                WHERE local_id >= ?1 AND local_id <= ?2 AND flags & ?3 = 0 AND collection = ?4
                ORDER BY id
                """, lower, upper, without, collection, row: pass)
        case (.collection(let collection), true):
            try connection.each(
                """
                SELECT key, collection_sequence, unified_id AS id, revision, flags, collection, body_size
                FROM documents INDEXED BY documents_by_unified_id
                WHERE unified_id >= ?1 AND unified_id <= ?2 AND flags & ?3 = 0 AND collection = ?4 AND local_id IS NULL
                UNION ALL
                SELECT key, collection_sequence, local_id AS id, revision, flags, collection, body_size
                FROM documents INDEXED BY documents_by_local_id
                WHERE local_id >= ?1 AND local_id <= ?2 AND flags & ?3 = 0 AND collection = ?4
                ORDER BY id DESC
                """, lower, upper, without, collection, row: pass)
        }
    }

    /// The approximate number of rows of a listing: a page.
    private static var page: Int64 { 1_000 }

    /// Whether each page reads and sorts all documents of the collection. The alternative, the index of all IDs, visits for each found row as many
    /// rows as the store has documents per document of the collection.
    private func isSorted(_ scope: FeedScope) throws -> Bool {
        let (own, all) = (try counts(scope), try counts(.unified))
        let (size, total) = (own.live + own.tombstones, all.live + all.tombstones)
        return size <= Self.page || size / Self.page <= total / size
    }

    private func listSorted(
        _ collection: CollectionKey, _ range: ListRange, _ lower: IDBound, _ upper: IDBound, _ without: DocumentFlags,
        row pass: (Row) throws -> Bool
    ) throws {
        if range.descending {
            try connection.each(
                """
                SELECT key, collection_sequence, coalesce(local_id, unified_id) AS id, revision, flags, collection, body_size
                FROM documents INDEXED BY documents_by_collection_sequence
                WHERE collection = ?4 AND id >= ?1 AND id <= ?2 AND flags & ?3 = 0 ORDER BY id DESC
                """, lower, upper, without, collection, row: pass)
        } else {
            try connection.each(
                """
                SELECT key, collection_sequence, coalesce(local_id, unified_id) AS id, revision, flags, collection, body_size
                FROM documents INDEXED BY documents_by_collection_sequence
                WHERE collection = ?4 AND id >= ?1 AND id <= ?2 AND flags & ?3 = 0 ORDER BY id
                """, lower, upper, without, collection, row: pass)
        }
    }
}

/// An end of an ID range as a value that SQLite compares with text.
enum IDBound: SQLValue {
    /// Sorts before every text.
    case start
    case text(String)
    /// Sorts after every text: SQLite orders blobs after all texts.
    case end

    func bind(to statement: OpaquePointer, at index: Int32) {
        switch self {
        case .start: "".bind(to: statement, at: index)
        case .text(let text): text.bind(to: statement, at: index)
        case .end: [UInt8]().bind(to: statement, at: index)
        }
    }
}
