import Foundation
import GRDB
import Gateway

/// The summaries of one side's documents, sorted, in a temporary file. The file is removed with the table.
final class SummaryTable: Sendable {
    struct Row: Sendable {
        let key: Int64
        let summary: DocumentSummary

        /// Whether the document changed after the other side was written.
        let isRecent: Bool
    }

    private let queue: DatabaseQueue
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-\(UUID().uuidString).sqlite").path
        queue = try DatabaseQueue(path: path, configuration: TemporaryDatabase.configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE rows (
                        key INTEGER PRIMARY KEY, collection TEXT NOT NULL, id TEXT NOT NULL, legacy_id TEXT, summary TEXT NOT NULL,
                        is_recent INTEGER NOT NULL, is_seen INTEGER NOT NULL DEFAULT 0, UNIQUE (collection, id));
                    CREATE INDEX rows_by_legacy_id ON rows (legacy_id) WHERE legacy_id IS NOT NULL
                    """)
        }
    }

    deinit {
        try? queue.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Inserts or replaces documents. Parts of a document are merged.
    ///
    /// - Parameter isRecent: Whether the documents changed after the other side was written.
    func put(_ documents: [(summary: DocumentSummary, legacyID: String?)], isRecent: Bool) throws {
        try queue.write { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO rows (collection, id, legacy_id, summary, is_recent) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (collection, id) DO UPDATE SET summary = excluded.summary, is_recent = excluded.is_recent
                    """)
            for (added, legacyID) in documents {
                var summary = added
                if summary.isPart, let before = try Self.part(of: summary, in: database) {
                    summary = before
                    summary.merge(added)
                }
                // Documents of the default collection have no separate legacy ID and need no entry in the second index.
                let other = summary.collection == .default ? nil : legacyID
                try statement.execute(arguments: [summary.collection.description, summary.id, other, summary.text, isRecent])
            }
        }
    }

    /// The stored parts of a partial document.
    private static func part(of summary: DocumentSummary, in database: GRDB.Database) throws -> DocumentSummary? {
        let statement = try database.cachedStatement(sql: "SELECT summary FROM rows WHERE collection = ? AND id = ?")
        let text = try String.fetchOne(statement, arguments: [summary.collection.description, summary.id])
        let before = text.map { DocumentSummary(collection: summary.collection, id: summary.id, text: $0) }
        return before.flatMap { $0.isPart ? $0 : nil }
    }

    /// The document with this ID or, on either side, this legacy ID.
    func row(in collection: CollectionName, id: String, legacyID: String?) throws -> Row? {
        try queue.read { database in
            let exact = try database.cachedStatement(
                sql: "SELECT key, collection, id, summary, is_recent FROM rows WHERE collection = ? AND id = ?")
            if let row = try GRDB.Row.fetchOne(exact, arguments: [collection.description, id]) { return Self.row(row) }
            guard let legacyID else { return nil }
            if let row = try GRDB.Row.fetchOne(exact, arguments: [CollectionName.default.description, legacyID]) { return Self.row(row) }
            let other = try database.cachedStatement(
                sql: "SELECT key, collection, id, summary, is_recent FROM rows WHERE legacy_id = ? LIMIT 1")
            return try GRDB.Row.fetchOne(other, arguments: [legacyID]).map(Self.row)
        }
    }

    private static func row(_ row: GRDB.Row) -> Row {
        let summary = DocumentSummary(collection: CollectionName(row[1] as String) ?? .default, id: row[2], text: row[3])
        return Row(key: row[0], summary: summary, isRecent: row[4])
    }

    /// Clears the marks of ``markMatched(_:)``.
    func clearMatched() throws {
        try queue.write { try $0.execute(sql: "UPDATE rows SET is_seen = 0 WHERE is_seen = 1") }
    }

    /// Marks documents that the other side has.
    func markMatched(_ keys: [Int64]) throws {
        guard !keys.isEmpty else { return }
        try queue.write { database in
            let statement = try database.cachedStatement(sql: "UPDATE rows SET is_seen = 1 WHERE key = ?")
            for key in keys { try statement.execute(arguments: [key]) }
        }
    }

    /// Documents without a mark, which the other side lacks, in order.
    func unseen(after key: (collection: String, id: String)?, limit: Int) throws -> [Row] {
        try queue.read { database in
            let rows = try GRDB.Row.fetchAll(
                database,
                sql: """
                    SELECT key, collection, id, summary, is_recent FROM rows
                    WHERE (collection, id) > (?, ?) AND is_seen = 0 ORDER BY collection, id LIMIT ?
                    """, arguments: [key?.collection ?? "", key?.id ?? "", limit])
            return rows.map(Self.row)
        }
    }
}
