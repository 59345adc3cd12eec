import Documents
import Storage

extension PostgreSQLSnapshot {
    func document(unifiedID: String) throws -> DocumentRecord? {
        if let known = lookups.document(unifiedID: unifiedID) { return known }
        return try connection.first(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents WHERE unified_id = $1
            """, unifiedID, row: record)
    }

    func document(in collection: CollectionKey, id: String) throws -> DocumentRecord? {
        // Nearly every document has its legacy ID in its collection too.
        if let document = try document(unifiedID: id), document.collection == collection, document.localID == nil { return document }
        if let known = lookups.document(localID: id, in: collection) { return known }
        return try connection.first(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents WHERE collection = $1 AND local_id = $2
            """, collection, id, row: record)
    }

    func document(_ key: DocumentKey) throws -> DocumentRecord? {
        if let known = lookups.document(key) { return known }
        return try connection.first(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents WHERE key = $1
            """, key, row: record)
    }

    func hasLocalID(_ id: String, in collection: CollectionKey) throws -> Bool {
        if let known = lookups.document(localID: id, in: collection) { return known != nil }
        return try connection.first("SELECT 1 FROM documents WHERE collection = $1 AND local_id = $2", collection, id) { _ in true }
            ?? false
    }

    func documents(
        in collection: CollectionKey?, after: DocumentKey, limit: Int, _ visit: (DocumentRecord) throws -> Bool
    ) throws {
        var last = after
        func pass(_ row: PostgreSQLRow) throws -> Bool {
            last = DocumentKey(row.integer(0))
            return try visit(record(row))
        }
        try PostgreSQLConnection.pages(limit: limit) { count in
            guard let collection else {
                return try connection.each(
                    """
                    SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
                    FROM documents WHERE key > $1 ORDER BY key LIMIT $2
                    """, last, count, row: pass)
            }
            // By key: the index of the collection's feed has another order.
            return try connection.each(
                """
                SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
                FROM documents WHERE key > $1 AND collection + 0 = $2 ORDER BY key LIMIT $3
                """, last, collection, count, row: pass)
        }
    }

    func conflicted(limit: Int) throws -> [DocumentRecord] {
        // The condition has to equal the index's condition.
        try connection.all(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents WHERE flags & 4 <> 0 ORDER BY key DESC LIMIT $1
            """, limit, row: record)
    }

    func body(of revision: RevisionID, in document: DocumentRecord) throws -> StoredBody? {
        guard let key = document.key else { return nil }
        if revision == document.winner {
            if let known = lookups.details.body(of: key) { return known }
            return try connection.first("SELECT attachments, body FROM documents WHERE key = $1", key) { body($0, at: 0) } ?? nil
        }
        return try connection.first(
            "SELECT attachments, body FROM bodies WHERE document = $1 AND revision = $2", key, revision
        ) { body($0, at: 0) } ?? nil
    }

    /// The body from the two columns for attachments and properties; `nil` for a body that was never received.
    func body(_ row: PostgreSQLRow, at column: Int32) -> StoredBody? {
        row.optionalBytes(column + 1).map { StoredBody(properties: $0, attachments: row.optionalBytes(column)) }
    }

    func expiry(of document: DocumentKey) throws -> Int64? {
        try connection.first("SELECT time FROM expiries WHERE document = $1", document) { $0.integer(0) }
    }

    func expired(at time: Int64, limit: Int) throws -> [DocumentKey] {
        try connection.all("SELECT document FROM expiries WHERE time <= $1 ORDER BY time LIMIT $2", time, limit) {
            DocumentKey($0.integer(0))
        }
    }

    func nextExpiry(after time: Int64) throws -> Int64? {
        try connection.first("SELECT time FROM expiries WHERE time > $1 ORDER BY time LIMIT 1", time) { $0.integer(0) }
    }
}
