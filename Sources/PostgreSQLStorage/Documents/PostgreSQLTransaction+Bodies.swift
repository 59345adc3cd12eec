import Documents
import Storage

extension PostgreSQLTransaction {
    func setBody(_ body: StoredBody?, of revision: RevisionID, in document: DocumentRecord, isLeaf: Bool) throws {
        guard let key = document.key else { throw missing("document \(document.id)") }
        guard revision != document.winner else {
            lookups.details.forget(key)
            return try connection.runOnce(
                otherwise: missing("document \(document.id)"),
                "UPDATE documents SET body_size = $2, attachments = $3, body = $4 WHERE key = $1", key, body?.size ?? 0, body?.attachments,
                body?.properties)
        }
        try connection.run(
            """
            INSERT INTO bodies (document, revision, is_leaf, attachments, body) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (document, revision)
            DO UPDATE SET is_leaf = excluded.is_leaf, attachments = excluded.attachments, body = excluded.body
            """, key, revision, isLeaf, body?.attachments, body?.properties)
    }

    func setIsLeaf(_ isLeaf: Bool, of revision: RevisionID, in document: DocumentRecord) throws {
        guard let key = document.key else { throw missing("document \(document.id)") }
        try connection.run("UPDATE bodies SET is_leaf = $3 WHERE document = $1 AND revision = $2", key, revision, isLeaf)
    }

    func changeWinner(of document: DocumentRecord, body: StoredBody?, previous: RevisionID, previousIsLeaf: Bool) throws {
        guard previous != document.winner else { throw invalid("document \(document.id): \(previous) is the winner already") }
        let key = try countChange(to: document)
        // The server copies the bytes from row to row. A leaf without a body has a row as well, which marks it as a leaf.
        try connection.run(
            """
            INSERT INTO bodies (document, revision, is_leaf, attachments, body, channels)
            SELECT key, $2, $3, attachments, body, CASE WHEN flags & $4 <> 0 THEN (
                SELECT string_agg(name, ','::bytea) FROM channel_entries JOIN channels ON channels.key = channel
                WHERE document = $1 AND left_with IS NULL) END
            FROM documents WHERE key = $1 AND (body IS NOT NULL OR $3)
            ON CONFLICT (document, revision) DO UPDATE SET is_leaf = excluded.is_leaf, attachments = excluded.attachments,
                body = excluded.body, channels = excluded.channels
            """, key, previous, previousIsLeaf, DocumentFlags.inChannels)
        let body = try body ?? losingBody(of: document.winner, in: key)
        try connection.run(
            """
            UPDATE documents SET collection = $2, unified_id = $3, local_id = $4, sequence = $5, collection_sequence = $6, revision = $7,
                flags = $8, modified = $9, tree = $10, body_size = $11, attachments = $12, body = $13
            WHERE key = $1
            """,
            key, document.collection, document.unifiedID, document.localID, document.sequence, document.collectionSequence, document.winner,
            document.flags, document.modified, document.tree.encoded(), body?.size ?? 0, body?.attachments, body?.properties)
        try connection.run("DELETE FROM bodies WHERE document = $1 AND revision = $2", key, document.winner)
    }

    func removeBody(of revision: RevisionID, in document: DocumentRecord) throws {
        guard let key = document.key else { throw missing("document \(document.id)") }
        if revision == document.winner {
            lookups.details.forget(key)
            try connection.run("UPDATE documents SET body_size = 0, attachments = NULL, body = NULL WHERE key = $1", key)
        } else {
            try connection.run("DELETE FROM bodies WHERE document = $1 AND revision = $2", key, revision)
        }
    }

    func trimBodies(of document: DocumentKey, keeping count: Int) throws {
        try connection.run(
            """
            DELETE FROM bodies WHERE document = $1 AND NOT is_leaf AND key <= (
                SELECT key FROM bodies WHERE document = $1 AND NOT is_leaf ORDER BY key DESC LIMIT 1 OFFSET $2)
            """, document, max(0, count))
    }

    func keptAttachments(of document: DocumentKey) throws -> [[UInt8]] {
        try connection.all(
            """
            SELECT attachments FROM documents WHERE key = $1 AND attachments IS NOT NULL
            UNION ALL SELECT attachments FROM bodies WHERE document = $1 AND attachments IS NOT NULL
            """, document
        ) { $0.bytes(0) }
    }

    private func losingBody(of revision: RevisionID, in key: DocumentKey) throws -> StoredBody? {
        try connection.first("SELECT body, attachments FROM bodies WHERE document = $1 AND revision = $2", key, revision) { row in
            row.optionalBytes(0).map { StoredBody(properties: $0, attachments: row.optionalBytes(1)) }
        } ?? nil
    }
}
