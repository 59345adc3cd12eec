import Documents
import Storage

extension SQLiteSnapshot {
    func document(unifiedID: String) throws -> DocumentRecord? {
        try connection.first(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents WHERE unified_id = ?1
            """, unifiedID, row: record)
    }

    func document(in collection: CollectionKey, id: String) throws -> DocumentRecord? {
        // Nearly every document has its legacy ID in its collection too.
        if let document = try document(unifiedID: id), document.collection == collection, document.localID == nil { return document }
        return try connection.first(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents WHERE collection = ?1 AND local_id = ?2
            """, collection, id, row: record)
    }

    func document(_ key: DocumentKey) throws -> DocumentRecord? {
        try connection.first(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents WHERE key = ?1
            """, key, row: record)
    }

    func hasLocalID(_ id: String, in collection: CollectionKey) throws -> Bool {
        try connection.first("SELECT 1 FROM documents WHERE collection = ?1 AND local_id = ?2", collection, id) { _ in true } ?? false
    }

    func documents(
        in collection: CollectionKey?, after: DocumentKey, limit: Int, _ visit: (DocumentRecord) throws -> Bool
    ) throws {
        guard let collection else {
            return try connection.each(
                """
                SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
                FROM documents WHERE key > ?1 ORDER BY key LIMIT ?2
                """, after, limit
            ) { try visit(record($0)) }
        }
        try connection.each(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents NOT INDEXED WHERE key > ?1 AND collection = ?2 ORDER BY key LIMIT ?3
            """, after, collection, limit
        ) { try visit(record($0)) }
    }

    func conflicted(limit: Int) throws -> [DocumentRecord] {
        // The condition has to equal the index's condition literally.
        try connection.all(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents WHERE flags & 4 <> 0 ORDER BY key DESC LIMIT ?1
            """, limit, row: record)
    }

    func body(of revision: RevisionID, in document: DocumentRecord) throws -> StoredBody? {
        guard let key = document.key else { return nil }
        if revision == document.winner {
            return try connection.first("SELECT attachments, body FROM documents WHERE key = ?1", key) { body($0, at: 0) } ?? nil
        }
        return try connection.first(
            "SELECT attachments, body FROM bodies WHERE document = ?1 AND revision = ?2", key, revision
        ) { body($0, at: 0) } ?? nil
    }

    /// The body from the two columns for attachments and properties; `nil` for a body that was never received.
    func body(_ row: Row, at column: Int32) -> StoredBody? {
        row.optionalBytes(column + 1).map { StoredBody(properties: $0, attachments: row.optionalBytes(column)) }
    }

    /// The document of a row of `key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree`.
    func record(_ row: Row) throws -> DocumentRecord {
        guard let winner = row.withBytes(6, { RevisionID(utf8: $0) }) else {
            throw damaged("document \(row.integer(0)) has the winning revision '\(row.text(6))', which is not a revision ID")
        }
        let tree: RevisionTree
        do {
            tree = try row.withBytes(9) { try RevisionTree(encoded: $0) }
        } catch {
            throw damaged("the revision tree of document \(row.integer(0)) cannot be read", cause: error)
        }
        return DocumentRecord(
            key: DocumentKey(row.integer(0)), collection: CollectionKey(row.integer(1)), unifiedID: row.optionalText(2),
            localID: row.optionalText(3), sequence: row.optionalInteger(4).map { SequenceNumber($0) },
            collectionSequence: SequenceNumber(row.integer(5)), winner: winner, flags: DocumentFlags(rawValue: row.integer(7)),
            modified: row.integer(8), tree: tree)
    }

    func expiry(of document: DocumentKey) throws -> Int64? {
        try connection.first("SELECT time FROM expiries WHERE document = ?1", document) { $0.integer(0) }
    }

    func expired(at time: Int64, limit: Int) throws -> [DocumentKey] {
        try connection.all("SELECT document FROM expiries WHERE time <= ?1 ORDER BY time LIMIT ?2", time, limit) {
            DocumentKey($0.integer(0))
        }
    }

    func nextExpiry(after time: Int64) throws -> Int64? {
        try connection.first("SELECT time FROM expiries WHERE time > ?1 ORDER BY time LIMIT 1", time) { $0.integer(0) }
    }
}
