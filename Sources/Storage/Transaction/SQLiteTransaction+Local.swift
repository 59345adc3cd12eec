import Documents

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

    func setVector(_ vector: String, of revision: RevisionID, in document: DocumentKey) throws {
        try connection.run(
            """
            INSERT INTO vectors (document, revision, vector) VALUES (?1, ?2, ?3)
            ON CONFLICT (document, revision) DO UPDATE SET vector = excluded.vector
            """, document, revision, vector)
    }

    func setLegacyRevision(_ revision: RevisionID?, of document: DocumentKey, client: String) throws {
        guard let revision else {
            return try connection.run("DELETE FROM client_revisions WHERE document = ?1 AND client = ?2", document, client)
        }
        try connection.run(
            """
            INSERT INTO client_revisions (document, client, revision) VALUES (?1, ?2, ?3)
            ON CONFLICT (document, client) DO UPDATE SET revision = excluded.revision
            """, document, client, revision)
    }
}
