extension SQLiteTransaction {
    func setLocalDocument(_ document: LocalDocument?, _ kind: LocalDocumentKind, in scope: FeedScope, id: String) throws {
        guard let document else {
            try connection.run("DELETE FROM sightings WHERE kind = ?1 AND scope = ?2 AND id = ?3", kind.rawValue, scope.number, id)
            return try connection.run(
                "DELETE FROM local_documents WHERE kind = ?1 AND scope = ?2 AND id = ?3", kind.rawValue, scope.number, id)
        }
        try connection.run(
            """
            INSERT INTO local_documents (kind, scope, id, revision, modified, body, upstream) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (kind, scope, id)
            DO UPDATE SET revision = excluded.revision, modified = excluded.modified, body = excluded.body, upstream = excluded.upstream
            """, kind.rawValue, scope.number, id, document.revision, document.modified, document.body, document.upstreamRevision)
    }
}
