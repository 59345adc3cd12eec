import Documents
import Storage

extension PostgreSQLTransaction {
    func insert(_ document: DocumentRecord, winnerBody: StoredBody?) throws -> DocumentKey {
        guard document.key == nil else { throw invalid("document \(document.id) is inserted, but has a key already") }
        pending.documentKey += 1
        let key = DocumentKey(pending.documentKey)
        try insertRow(document, as: key, winnerBody)
        changes.count(document.flags, in: .collection(document.collection), by: 1)
        if document.sequence != nil { changes.count(document.flags, in: .unified, by: 1) }
        changes.inserted = key
        lookups.forget(key, becoming: document)
        remember(StoredDocumentPlace(document), of: key)
        return key
    }

    private func insertRow(_ document: DocumentRecord, as key: DocumentKey, _ body: StoredBody?) throws {
        let size = body?.size ?? 0
        // Rows that are inserted together are copied once more in this process.
        guard size > Self.largestQueuedBody else {
            return try connection.insert(
                """
                INSERT INTO documents (key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified,
                    body_size, tree, attachments, body)
                SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bytea[],
                    $8::bigint[], $9::bigint[], $10::bigint[], $11::bytea[], $12::bytea[], $13::bytea[])
                """,
                key, document.collection, document.unifiedID, document.localID, document.sequence, document.collectionSequence,
                document.winner, document.flags, document.modified, size, document.tree.encoded(), body?.attachments, body?.properties)
        }
        try connection.run(
            """
            INSERT INTO documents (key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, body_size,
                tree, attachments, body)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            key, document.collection, document.unifiedID, document.localID, document.sequence, document.collectionSequence, document.winner,
            document.flags, document.modified, size, document.tree.encoded(), body?.attachments, body?.properties)
    }

    private static let largestQueuedBody = 64 << 10

    func update(_ document: DocumentRecord) throws {
        let key = try countChange(to: document)
        // The server writes no index whose columns keep their values.
        try connection.run(
            """
            UPDATE documents SET collection = $2, unified_id = $3, local_id = $4, sequence = $5, collection_sequence = $6, revision = $7,
                flags = $8, modified = $9, tree = $10
            WHERE key = $1
            """,
            key, document.collection, document.unifiedID, document.localID, document.sequence, document.collectionSequence, document.winner,
            document.flags, document.modified, document.tree.encoded())
    }

    func purge(_ document: DocumentKey) throws {
        guard let old = try place(of: document) else { return }
        changes.count(old.flags, in: .collection(old.collection), by: -1)
        if let sequence = old.sequence {
            changes.count(old.flags, in: .unified, by: -1)
            try forgetShown(at: sequence)
        }
        try setGrants([], from: .document(document), at: try nextSequence())
        try setAttachments([], usedBy: document)
        try setMissingAttachments([], of: document)
        try connection.run("DELETE FROM bodies WHERE document = $1", document)
        try connection.run("DELETE FROM channel_entries WHERE document = $1", document)
        try setExpiry(nil, of: document)
        try connection.run("DELETE FROM departures WHERE document = $1", document)
        try connection.run("DELETE FROM returns WHERE document = $1", document)
        try connection.run("DELETE FROM versions WHERE document = $1", document)
        try connection.run("DELETE FROM client_revisions WHERE document = $1", document)
        try connection.run("DELETE FROM history_marks WHERE document = $1", document)
        try connection.run("DELETE FROM moves WHERE run IN (SELECT key FROM move_runs) AND document = $1", document)
        try connection.run("DELETE FROM documents WHERE key = $1", document)
        remember(nil, of: document)
        lookups.forget(document)
        lookups.forgetDepartures()
    }

    func rememberPlaces(of document: DocumentKey) throws {
        let unifiedID = try connection.first(
            """
            SELECT coalesce(unified_id, (SELECT id FROM departures WHERE document = $1 AND collection = 0)) FROM documents WHERE key = $1
            """, document
        ) { $0.optionalText(0) }
        guard case let id?? = unifiedID else { return }
        lookups.forgetPurged()
        try connection.run(
            """
            INSERT INTO purged_places (unified_id, collection, id)
            SELECT $2::bytea, collection, coalesce(local_id, unified_id) FROM documents WHERE key = $1
            UNION SELECT $2::bytea, collection, id FROM departures WHERE document = $1 AND collection > 0
            ON CONFLICT DO NOTHING
            """, document, id)
    }

    func removeRememberedPlaces(of unifiedID: String) throws -> [(collection: CollectionKey, id: String)] {
        if lookups.isUnpurged(unifiedID) { return [] }
        let places = try connection.all("SELECT collection, id FROM purged_places WHERE unified_id = $1", unifiedID) { row in
            (collection: CollectionKey(row.integer(0)), id: row.text(1))
        }
        if !places.isEmpty { try connection.run("DELETE FROM purged_places WHERE unified_id = $1", unifiedID) }
        return places
    }

    func setExpiry(_ time: Int64?, of document: DocumentKey) throws {
        guard let time else {
            return try connection.run("DELETE FROM expiries WHERE document = $1", document)
        }
        try connection.run(
            "INSERT INTO expiries (document, time) VALUES ($1, $2) ON CONFLICT (document) DO UPDATE SET time = excluded.time", document,
            time)
    }
}

extension PostgreSQLTransaction {
    /// Updates the counts for a document's change from the stored state to `document`.
    ///
    /// A move does not change the unified keyspace, so it does not wake that feed's followers.
    func countChange(to document: DocumentRecord) throws -> DocumentKey {
        guard let key = document.key, let old = try place(of: key) else { throw missing("document \(document.id)") }
        changes.count(old.flags, in: .collection(old.collection), by: -1)
        changes.count(document.flags, in: .collection(document.collection), by: 1)
        if old.sequence != document.sequence || old.flags != document.flags {
            if let sequence = old.sequence, sequence != document.sequence { try forgetShown(at: sequence) }
            if old.sequence != nil { changes.count(old.flags, in: .unified, by: -1) }
            if document.sequence != nil { changes.count(document.flags, in: .unified, by: 1) }
        }
        remember(StoredDocumentPlace(document), of: key)
        lookups.forget(key, becoming: document)
        return key
    }
}
