import Documents
import Storage

extension PostgreSQLSnapshot {
    func version(of document: DocumentKey) throws -> VersionRecord? {
        if let known = lookups.details.version(of: document) { return known }
        return try connection.first(
            "SELECT document, revision, vector, earlier FROM versions WHERE document = $1", document, row: versionRecord)
    }

    /// The version of a row of `document, revision, vector, earlier`.
    final func versionRecord(_ row: PostgreSQLRow) throws -> VersionRecord {
        guard let revision = row.withBytes(1, { RevisionID(utf8: $0) }) else {
            throw damaged("the version of document \(row.integer(0)) is of '\(row.text(1))', which is not a revision ID")
        }
        do {
            return VersionRecord(
                revision: revision, vector: try VersionVector(row.text(2)), earlier: [VersionRecord.Earlier](text: row.text(3)))
        } catch {
            throw damaged("the version vector of document \(row.integer(0)) cannot be read", cause: error)
        }
    }

    func legacyRevisions(of document: DocumentKey) throws -> [String: RevisionID] {
        let rows = try connection.all("SELECT client, revision FROM client_revisions WHERE document = $1", document) { row in
            (row.text(0), row.withBytes(1) { RevisionID(utf8: $0) })
        }
        return Dictionary(rows.compactMap { client, revision in revision.map { (client, $0) } }) { $1 }
    }

    func legacyRevision(of document: DocumentKey, client: String) throws -> RevisionID? {
        try connection.first("SELECT revision FROM client_revisions WHERE client = $1 AND document = $2", client, document) { row in
            guard let revision = row.withBytes(0, { RevisionID(utf8: $0) }) else {
                throw damaged("client \(client) has '\(row.text(0))' for document \(document.value), which is not a revision ID")
            }
            return revision
        }
    }

    func historyMark(of document: DocumentKey, upTo sequence: SequenceNumber) throws -> HistoryMark? {
        try connection.first(
            "SELECT sequence, revision FROM history_marks WHERE document = $1 AND sequence <= $2 ORDER BY sequence DESC LIMIT 1",
            document, sequence
        ) { row in
            guard let revision = row.withBytes(1, { RevisionID(utf8: $0) }) else {
                throw damaged("the history of document \(document.value) has '\(row.text(1))', which is not a revision ID")
            }
            return HistoryMark(sequence: SequenceNumber(row.integer(0)), revision: revision)
        }
    }
}

extension PostgreSQLTransaction {
    func setVersion(_ version: VersionRecord, of document: DocumentKey) throws {
        lookups.details.forget(document)
        try connection.run(
            """
            INSERT INTO versions (document, revision, vector, earlier) VALUES ($1, $2, $3, $4)
            ON CONFLICT (document)
            DO UPDATE SET revision = excluded.revision, vector = excluded.vector, earlier = excluded.earlier
            """, document, version.revision, version.vector.description,
            version.earlier.text)
    }

    func setLegacyRevision(_ revision: RevisionID?, of document: DocumentKey, client: String) throws {
        guard let revision else {
            return try connection.run("DELETE FROM client_revisions WHERE document = $1 AND client = $2", document, client)
        }
        try connection.run(
            """
            INSERT INTO client_revisions (document, client, revision) VALUES ($1, $2, $3)
            ON CONFLICT (document, client) DO UPDATE SET revision = excluded.revision
            """, document, client, revision)
    }

    func setHistoryMark(_ mark: HistoryMark, of document: DocumentKey) throws {
        try connection.run(
            """
            INSERT INTO history_marks (document, sequence, revision) VALUES ($1, $2, $3)
            ON CONFLICT (document, sequence) DO UPDATE SET revision = excluded.revision
            """, document, mark.sequence, mark.revision)
    }

    func removeHistoryMarks(of document: DocumentKey, before sequence: SequenceNumber) throws {
        try connection.run("DELETE FROM history_marks WHERE document = $1 AND sequence < $2", document, sequence)
    }
}
