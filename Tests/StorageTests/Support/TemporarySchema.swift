import Foundation
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import Storage

/// A schema of the tests' PostgreSQL for one test, removed afterwards.
final class TemporarySchema: Sendable {
    let name = "test_" + UUID().uuidString.prefix(8).lowercased()
    let url: String

    init() throws {
        url = try TestPostgreSQL.url()
    }

    func open(_ change: (inout PostgreSQLStore.Options) -> Void = { _ in }) throws -> PostgreSQLStore {
        var options = PostgreSQLStore.Options()
        change(&options)
        return try PostgreSQLStore(url: url, schema: name, options: options)
    }

    /// A connection beside the store.
    func connect() throws -> PostgreSQLConnection {
        try PostgreSQLConnector(
            address: PostgreSQLAddress(url: url, schema: name, isReadOnly: false), statementTimeout: .seconds(30),
            lockTimeout: .seconds(30),
            idleTimeout: .seconds(60)
        ).connect()
    }

    /// Changes the store's tables beside the store.
    func change(_ script: String) throws {
        try connect().execute(script: script)
    }

    deinit {
        try? change("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE")
    }
}

extension PostgreSQLStore: MeasuredStore {
    /// Queries for rows that contradict each other. Each has to return none.
    private static let contradictions: [StaticString] = [
        """
        SELECT 'the counts of scope ' || c.scope FROM document_counts c
        WHERE (c.live, c.tombstones, c.conflicted) <> (
            SELECT count(*) FILTER (WHERE flags & 1 = 0), count(*) FILTER (WHERE flags & 1 <> 0), count(*) FILTER (WHERE flags & 4 <> 0)
            FROM documents d WHERE CASE WHEN c.scope = 0 THEN d.sequence IS NOT NULL ELSE d.collection = c.scope END)
        """,
        "SELECT 'document without counts: ' || key FROM documents WHERE collection NOT IN (SELECT scope FROM document_counts)",
        """
        SELECT 'the sequence of document ' || d.key FROM documents d, store s
        WHERE greatest(d.sequence, d.collection_sequence) > s.counter OR d.key > s.document_key
        """,
        "SELECT 'the collection of document ' || key FROM documents WHERE collection NOT IN (SELECT key FROM collections)",
        "SELECT 'a body of no document: ' || key FROM bodies WHERE document NOT IN (SELECT key FROM documents)",
        "SELECT 'the body of a winner: ' || b.key FROM bodies b JOIN documents d ON d.key = b.document AND d.revision = b.revision",
        "SELECT 'a departure of no document: ' || document FROM departures WHERE document NOT IN (SELECT key FROM documents)",
        "SELECT 'a return of no document: ' || document FROM returns WHERE document NOT IN (SELECT key FROM documents)",
        "SELECT 'a version of no document: ' || document FROM versions WHERE document NOT IN (SELECT key FROM documents)",
        "SELECT 'a channel of no document: ' || document FROM channel_entries WHERE document NOT IN (SELECT key FROM documents)",
        """
        SELECT 'the uses of attachment ' || key FROM attachments
        WHERE uses <> (SELECT count(*) FROM attachment_uses WHERE attachment = key)
        """,
        "SELECT 'a use of no attachment: ' || attachment FROM attachment_uses WHERE attachment NOT IN (SELECT key FROM attachments)",
        """
        SELECT 'the length of attachment ' || key FROM attachments
        WHERE digest IS NOT NULL AND length <> (
            SELECT coalesce(sum(octet_length(bytes)), 0) FROM attachment_parts WHERE position >> 20 = key)
        """,
        "SELECT 'a part of no attachment: ' || position FROM attachment_parts WHERE position >> 20 NOT IN (SELECT key FROM attachments)",
    ]

    func expectSound(sourceLocation: SourceLocation) async throws {
        let problems = try await read { snapshot in
            guard let connection = (snapshot as? PostgreSQLSnapshot)?.connection else { return ["no connection"] }
            return try Self.contradictions.flatMap { try connection.all($0) { $0.text(0) } }
        }
        #expect(problems.isEmpty, "\(problems)", sourceLocation: sourceLocation)
    }
}
