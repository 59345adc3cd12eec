import Coordination
package import Storage

/// Reads the rows of a store for its check.
struct PostgreSQLChecker: EngineChecker {
    let snapshot: PostgreSQLSnapshot
    var check: StoreCheck

    var connection: PostgreSQLConnection { snapshot.connection }

    func count(_ sql: StaticString) throws -> Int64 {
        try connection.first(sql) { $0.integer(0) } ?? 0
    }

    /// Checks the row of single values. Writers assign keys by it without asking the server.
    mutating func checkStructures() throws {
        try check.tick(.file, 0, of: 1)
        check.lastSequence = snapshot.state.counter
        check.collections = Dictionary(try snapshot.collections().map { ($0.key, $0) }) { first, _ in first }
        let documents = try count("SELECT coalesce(max(key), 0) FROM documents")
        if documents > snapshot.state.documentKey {
            check.record(.database, "the last document has the key \(documents), beyond the stored \(snapshot.state.documentKey)")
        }
        let channels = try count("SELECT coalesce(max(key), 0) FROM channels")
        if channels > snapshot.state.channelKey {
            check.record(.database, "the last channel has the key \(channels), beyond the stored \(snapshot.state.channelKey)")
        }
        try check.tick(.file, 1, of: 1)
    }

    mutating func checkDocuments() throws {
        let total = try count("SELECT count(*) FROM documents")
        var after = DocumentKey(0)
        while true {
            let (snapshot, connection) = (snapshot, connection)
            let rows = try connection.all(
                """
                SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree,
                    body IS NOT NULL, attachments, body_size <> coalesce(octet_length(body), 0) + coalesce(octet_length(attachments), 0)
                FROM documents WHERE key > $1 ORDER BY key LIMIT 100
                """, after
            ) { row in
                let document = CheckedDocument(
                    key: DocumentKey(row.integer(0)), record: Result { try snapshot.record(row) }, hasBody: row.bool(10),
                    attachments: row.optionalBytes(11))
                return (document, row.bool(12))
            }
            guard let last = rows.last else { return }
            after = last.0.key
            for (document, hasOtherSize) in rows {
                if hasOtherSize { check.record(.body, "document \(document.key.value) records another size of its body than it has") }
                try check.check(document, snapshot) {
                    try connection.all("SELECT revision, is_leaf, attachments FROM bodies WHERE document = $1", document.key) { row in
                        CheckedBody(revision: row.text(0), isLeaf: row.bool(1), attachments: row.optionalBytes(2))
                    }
                }
                try check.tick(.documents, check.report.documents, of: total)
            }
        }
    }
}

extension PostgreSQLStore {
    /// The limit of one statement of a check, which may read a whole table.
    private static let checkTimeout = Duration.seconds(3_600)

    /// Checks the whole store, on a connection of its own. The server keeps the rows that are deleted meanwhile until the check ends.
    package func check(limit: Int, progress: @escaping @Sendable (CheckProgress) -> Void) async throws -> CheckReport {
        let connector = connector.patient(Self.checkTimeout)
        return try await CheckCancellation.during { cancellation in
            try await onNewThread {
                let connection = try connector.connect()
                // Whole tables are compared.
                try connection.execute(script: "SET enable_seqscan = on; SET enable_hashjoin = on; SET enable_sort = on")
                return try PostgreSQLSnapshot.read(connection) { snapshot in
                    var checker = PostgreSQLChecker(
                        snapshot: snapshot, check: StoreCheck(limit: limit, progress: progress, cancellation: cancellation))
                    return try checker.run()
                }
            }
        }
    }
}
