import Documents

extension SQLiteSnapshot {
    func localDocument(_ kind: LocalDocumentKind, in scope: FeedScope, id: String) throws -> LocalDocument? {
        try connection.first(
            "SELECT revision, body, modified, upstream FROM local_documents WHERE kind = ?1 AND scope = ?2 AND id = ?3",
            kind.rawValue, scope.number, id
        ) { row in
            LocalDocument(
                revision: row.integer(0), body: row.bytes(1), modified: row.integer(2), upstreamRevision: row.optionalText(3))
        }
    }

    func vector(of revision: RevisionID, in document: DocumentKey) throws -> String? {
        try connection.first("SELECT vector FROM vectors WHERE document = ?1 AND revision = ?2", document, revision) { $0.text(0) }
    }

    func legacyRevision(of document: DocumentKey, client: String) throws -> RevisionID? {
        try connection.first("SELECT revision FROM client_revisions WHERE client = ?1 AND document = ?2", client, document) { row in
            guard let revision = row.withBytes(0, { RevisionID(utf8: $0) }) else {
                throw damaged("client \(client) has '\(row.text(0))' for document \(document.value), which is no revision ID")
            }
            return revision
        }
    }
}
