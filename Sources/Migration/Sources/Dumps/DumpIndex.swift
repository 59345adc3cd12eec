import Foundation
import GRDB

/// Index of the documents that have several rows in a dump, one per leaf, in any order and far apart. A temporary file, removed with the index.
///
/// A document is read at the position of its first row. The index stores the bytes of later rows, because a gzip file cannot be read backwards.
final class DumpIndex: Sendable {
    /// A row that may not be the first of its document.
    struct Row: Sendable {
        let id: String
        let offset: Int
        let bytes: [UInt8]
    }

    /// How many rows of one document are merged in memory. Further rows form another part of the document.
    struct PartLimits: Sendable {
        var rows = 10_000
        var bytes = 256 << 20
    }

    private let limits: PartLimits
    private let queue: DatabaseQueue
    private let path: String

    init(_ limits: PartLimits) throws {
        self.limits = limits
        path = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-\(UUID().uuidString).sqlite").path
        queue = try DatabaseQueue(path: path, configuration: TemporaryDatabase.configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE documents (
                        id BLOB PRIMARY KEY, first INTEGER NOT NULL, parts INTEGER NOT NULL, rows INTEGER NOT NULL, size INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE later (offset INTEGER PRIMARY KEY, first INTEGER NOT NULL, id BLOB NOT NULL, bytes BLOB NOT NULL);
                    CREATE INDEX later_by_id ON later (id, first)
                    """)
        }
    }

    deinit {
        try? queue.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Adds rows in the order of the dump.
    func add(_ rows: [Row]) throws {
        guard !rows.isEmpty else { return }
        try queue.write { database in
            let document = try database.cachedStatement(
                sql: """
                    INSERT INTO documents (id, first, parts, rows, size) VALUES (?1, ?2, 1, 1, ?3)
                    ON CONFLICT (id) DO UPDATE SET
                        first = iif(rows < ?4 AND size + ?3 <= ?5, first, ?2), parts = parts + iif(rows < ?4 AND size + ?3 <= ?5, 0, 1),
                        rows = iif(rows < ?4 AND size + ?3 <= ?5, rows + 1, 1), size = iif(rows < ?4 AND size + ?3 <= ?5, size + ?3, ?3)
                    RETURNING first, parts, rows
                    """)
            let later = try database.cachedStatement(sql: "INSERT INTO later (offset, first, id, bytes) VALUES (?, ?, ?, ?)")
            for row in rows {
                let id = Data(row.id.utf8)
                let found = try GRDB.Row.fetchOne(
                    document, arguments: [id, row.offset, row.bytes.count, limits.rows, limits.bytes])
                guard let found, (found[1] as Int) > 1 || (found[2] as Int) > 1 else { continue }
                try later.execute(arguments: [row.offset, found[0] as Int, id, Data(row.bytes)])
            }
        }
    }

    /// Number of documents in the dump.
    func documents() throws -> Int {
        try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM documents") ?? 0 }
    }

    /// Whether any document has several rows.
    func hasLaterRows() throws -> Bool {
        try queue.read { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM later)") ?? false }
    }

    /// Position of the first row of the part that contains the row at `offset`; `nil` if that row is itself the first.
    func first(ofLaterRow offset: Int) throws -> Int? {
        try queue.read { database in
            let statement = try database.cachedStatement(sql: "SELECT first FROM later WHERE offset = ? AND first <> offset")
            return try Int.fetchOne(statement, arguments: [offset])
        }
    }

    /// The later rows of the part that begins at `first`, in the order of the dump.
    func rows(of id: String, with first: Int) throws -> [Row] {
        try queue.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT offset, bytes FROM later WHERE id = ?1 AND first = ?2 AND offset > ?2 ORDER BY offset")
            return try GRDB.Row.fetchAll(statement, arguments: [Data(id.utf8), first]).map { row in
                Row(id: id, offset: row[0], bytes: Array(row[1] as Data))
            }
        }
    }

    /// Whether a document has several parts, and whether its part at `offset` is the first.
    func part(of id: String, at offset: Int) throws -> (isOfMany: Bool, isFirst: Bool) {
        try queue.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT parts > 1, NOT EXISTS (SELECT 1 FROM later WHERE offset = ?2) FROM documents WHERE id = ?1")
            let row = try GRDB.Row.fetchOne(statement, arguments: [Data(id.utf8), offset])
            return row.map { ($0[0], $0[1]) } ?? (false, true)
        }
    }

    /// Visits all rows of a document except the first.
    func eachLaterRow(of id: String, _ visit: (Row) throws -> Void) throws {
        try queue.read { database in
            let rows = try GRDB.Row.fetchCursor(
                database, sql: "SELECT offset, bytes FROM later WHERE id = ? ORDER BY offset", arguments: [Data(id.utf8)])
            while let row = try rows.next() { try visit(Row(id: id, offset: row[0], bytes: Array(row[1] as Data))) }
        }
    }
}
