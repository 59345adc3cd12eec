import Documents

extension SQLiteTransaction {
    func setVersion(_ version: VersionRecord, of document: DocumentKey) throws {
        try connection.run(
            """
            INSERT INTO versions (document, revision, vector, earlier) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (document)
            DO UPDATE SET revision = excluded.revision, vector = excluded.vector, earlier = excluded.earlier
            """, document, version.revision, version.vector.description,
            version.earlier.map { "\($0.version) \($0.revision)" }.joined(separator: ","))
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
