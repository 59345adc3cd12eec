import Storage

extension StoreChecker {
    mutating func checkDocuments() throws {
        let total = try count("SELECT count(*) FROM documents")
        // The rows are read in steps, because recording a problem runs other statements while this one would be open.
        var after = DocumentKey(0)
        while true {
            let (snapshot, connection) = (snapshot, connection)
            let rows = try connection.all(
                """
                SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree,
                    body IS NOT NULL, attachments
                FROM documents WHERE key > ?1 ORDER BY key LIMIT 100
                """, after
            ) { row in
                CheckedDocument(
                    key: DocumentKey(row.integer(0)), record: Result { try snapshot.record(row) }, hasBody: row.bool(10),
                    attachments: row.optionalBytes(11))
            }
            guard let last = rows.last else { return }
            after = last.key
            for document in rows {
                try check.check(document, snapshot) {
                    try connection.all("SELECT revision, is_leaf, attachments FROM bodies WHERE document = ?1", document.key) { row in
                        CheckedBody(revision: row.text(0), isLeaf: row.bool(1), attachments: row.optionalBytes(2))
                    }
                }
                try check.tick(.documents, check.report.documents, of: total)
            }
        }
    }
}
