import Storage

extension PostgreSQLSnapshot {
    func list(_ scope: FeedScope, range: ListRange, limit: Int, _ visit: (FeedRow) throws -> Bool) throws {
        var ids = IDRange(range)
        // Rows with any of these flags are skipped.
        let without: DocumentFlags = range.includesDeleted ? [] : .deleted
        func pass(_ row: PostgreSQLRow) throws -> Bool {
            ids.pass(row.bytes(2))
            return try visit(feedRow(row))
        }
        guard limit > 0 else { return }
        if case .collection(let collection) = scope, try isSorted(scope) {
            return try PostgreSQLConnection.pages(limit: limit) { try listSorted(collection, ids, without, $0, row: pass) }
        }
        try PostgreSQLConnection.pages(limit: limit) { count in
            switch (scope, range.descending) {
            case (.unified, false):
                try connection.each(
                    """
                    SELECT key, sequence, unified_id, revision, flags, collection, body_size FROM documents
                    WHERE unified_id >= $1 AND unified_id < $2 AND flags & $3 = 0 ORDER BY unified_id LIMIT $4
                    """, ids.lower, ids.upper, without, count, row: pass)
            case (.unified, true):
                try connection.each(
                    """
                    SELECT key, sequence, unified_id, revision, flags, collection, body_size FROM documents
                    WHERE unified_id >= $1 AND unified_id < $2 AND flags & $3 = 0 ORDER BY unified_id DESC LIMIT $4
                    """, ids.lower, ids.upper, without, count, row: pass)
            case (.collection(let collection), false):
                // The server merges the two indexes, without sorting, because each part has an order and a limit.
                try connection.each(
                    """
                    SELECT * FROM (
                        (SELECT key, collection_sequence, unified_id AS id, revision, flags, collection, body_size FROM documents
                        WHERE unified_id >= $1 AND unified_id < $2 AND flags & $3 = 0 AND collection + 0 = $5 AND local_id IS NULL
                        ORDER BY unified_id LIMIT $4)
                        UNION ALL
                        (SELECT key, collection_sequence, local_id AS id, revision, flags, collection, body_size FROM documents
                        WHERE local_id >= $1 AND local_id < $2 AND flags & $3 = 0 AND collection = $5
                        ORDER BY local_id LIMIT $4)) AS found
                    ORDER BY id LIMIT $4
                    """, ids.lower, ids.upper, without, count, collection, row: pass)
            case (.collection(let collection), true):
                try connection.each(
                    """
                    SELECT * FROM (
                        (SELECT key, collection_sequence, unified_id AS id, revision, flags, collection, body_size FROM documents
                        WHERE unified_id >= $1 AND unified_id < $2 AND flags & $3 = 0 AND collection + 0 = $5 AND local_id IS NULL
                        ORDER BY unified_id DESC LIMIT $4)
                        UNION ALL
                        (SELECT key, collection_sequence, local_id AS id, revision, flags, collection, body_size FROM documents
                        WHERE local_id >= $1 AND local_id < $2 AND flags & $3 = 0 AND collection = $5
                        ORDER BY local_id DESC LIMIT $4)) AS found
                    ORDER BY id DESC LIMIT $4
                    """, ids.lower, ids.upper, without, count, collection, row: pass)
            }
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
        _ collection: CollectionKey, _ ids: IDRange, _ without: DocumentFlags, _ count: Int, row pass: (PostgreSQLRow) throws -> Bool
    ) throws -> Int? {
        if ids.isDescending {
            return try connection.each(
                """
                SELECT key, collection_sequence, coalesce(local_id, unified_id) AS id, revision, flags, collection, body_size FROM documents
                WHERE collection = $5 AND coalesce(local_id, unified_id) >= $1 AND coalesce(local_id, unified_id) < $2 AND flags & $3 = 0
                ORDER BY id DESC LIMIT $4
                """, ids.lower, ids.upper, without, count, collection, row: pass)
        }
        return try connection.each(
            """
            SELECT key, collection_sequence, coalesce(local_id, unified_id) AS id, revision, flags, collection, body_size FROM documents
            WHERE collection = $5 AND coalesce(local_id, unified_id) >= $1 AND coalesce(local_id, unified_id) < $2 AND flags & $3 = 0
            ORDER BY id LIMIT $4
            """, ids.lower, ids.upper, without, count, collection, row: pass)
    }
}

/// The IDs of a listing that have not been passed, as bytes from `lower` up to but not including `upper`.
struct IDRange {
    private(set) var lower: [UInt8]
    private(set) var upper: [UInt8]
    let isDescending: Bool

    /// Behind every text: no text in UTF-8 has this byte.
    static let end: [UInt8] = [0xff]

    init(_ range: ListRange) {
        // `from` and `to` follow the listing's order, so a descending listing begins at the upper end.
        let (first, last) = range.descending ? (range.to, range.from) : (range.from, range.to)
        let (includesFirst, includesLast) = range.descending ? (range.includesTo, true) : (true, range.includesTo)
        isDescending = range.descending
        lower = first.map { includesFirst ? Array($0.utf8) : Self.behind(Array($0.utf8)) } ?? []
        upper = last.map { includesLast ? Self.behind(Array($0.utf8)) : Array($0.utf8) } ?? Self.end
    }

    /// Removes the IDs up to and including one from the range.
    mutating func pass(_ id: [UInt8]) {
        if isDescending { upper = id } else { lower = Self.behind(id) }
    }

    /// The first bytes behind an ID.
    private static func behind(_ id: [UInt8]) -> [UInt8] { id + [0] }
}
