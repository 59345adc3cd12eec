import Documents
import SQLiteStorage
import Storage

/// A database file of Couchbase Lite 1.x with SQLite storage.
///
/// Documents are read by key (`docs.doc_id`), each with all rows of its revision tree. Local documents, checkpoints and view indexes are not
/// read.
actor LegacyDatabaseSource: MigrationSource {
    nonisolated let label: String
    let database: SourceDatabase
    let schema: LegacySchema
    private let blobs: BlobFolder

    /// - Throws: ``SourceError``.
    init(label: String, database: SourceDatabase, tables: Set<String>, blobs: BlobFolder) throws {
        self.label = label
        self.database = database
        self.blobs = blobs
        guard !blobs.isEncrypted else {
            throw SourceError(
                .encrypted,
                "\(label): the attachments are encrypted. Let an app with the key remove it (changeEncryptionKey to none), and read that "
                    + "database, or let the app replicate.")
        }
        do {
            schema = try database.read { try LegacySchema($0, tables: tables) }
        } catch {
            throw SourceError(.damaged, "\(label): the database's schema cannot be read. Take another copy of it.", cause: error)
        }
    }

    func summary() throws -> SourceSummary {
        var summary = SourceSummary(kind: "Couchbase Lite 1.x database (SQLite)")
        // The summary is optional: unreadable values do not prevent reading documents.
        summary.identity = try? database.read { connection in
            try connection.first("SELECT value FROM info WHERE key = 'privateUUID'") { $0.text(0) }
        }
        summary.documents = try? database.read { connection in
            try connection.first("SELECT count(*) FROM docs") { Int($0.integer(0)) }
        }
        return summary
    }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) throws -> SourceBatch? {
        let after = try key(cursor)
        do {
            return try read(after: after, limits)
        } catch  where SourceDatabase.isDamage(error) {
            return try salvage(after: after, limits)
        } catch let error as StorageError {
            throw SourceError(.damaged, "\(label): the database cannot be read.", cause: error)
        }
    }

    nonisolated func readAttachment(
        _ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        try await blobs.read(attachment, label: label, consume)
    }

    func close() {
        database.close()
    }

    private func key(_ cursor: SourceCursor?) throws -> Int64 {
        guard let cursor else { return 0 }
        guard let key = Int64(cursor.rawValue) else {
            throw SourceError(
                .changed, "\(label): \"\(cursor.rawValue)\" is not a position in this database. Start the run again from the beginning.")
        }
        return key
    }

    private func read(after key: Int64, _ limits: SourceBatchLimits) throws -> SourceBatch? {
        try database.read { connection in
            var batch = LegacyBatch(limits)
            let columns = "\(schema.documentColumns), \(schema.revisionColumns(limit: limits.bodyBytes))"
            let query = "SELECT \(columns) FROM docs d LEFT JOIN revs r ON r.doc_id = d.doc_id WHERE d.doc_id > ? ORDER BY d.doc_id"
            try connection.each(query: query, key) { row in
                if batch.isNew(row.integer(0)) {
                    try batch.finishDocument(attachments(connection))
                    guard !batch.isFull else { return false }
                    batch.begin(LegacyDocument(key: row.integer(0), id: row.bytes(1), expiry: row.optionalInteger(2)))
                }
                if !row.isNull(3) { batch.add(LegacyRow(row, first: 3)) }
                return true
            }
            try batch.finishDocument(attachments(connection))
            return batch.result
        }
    }

    /// Reads a document's rows of the table `attachments`, if the table exists.
    func attachments(_ connection: Connection) -> (inout LegacyDocument) throws -> Void {
        let hasTable = schema.hasAttachmentTable
        return { document in
            guard hasTable else { return }
            for row in document.rows where row.json != nil {
                let entries = try LegacyAttachmentRow.entries(of: row.sequence, connection)
                if !entries.isEmpty { document.attachments[row.sequence] = AttachmentSet(entries) }
            }
        }
    }
}
