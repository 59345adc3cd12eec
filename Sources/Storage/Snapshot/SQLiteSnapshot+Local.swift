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
}
