import Foundation
import GRDB

/// Where a dump has several rows of one document: its leaves, in no order and far apart. On disk, and gone with the index.
///
/// The first row of a document is where it stands. The bytes of the later ones are kept here, because a gzip file cannot be read backwards.
final class DumpIndex: Sendable {
    /// A row that may not be the first of its document.
    struct Row: Sendable {
        let id: String
        let offset: Int
        let bytes: [UInt8]
    }

    /// How many rows of one document are put together, in memory. Those beyond are another part of it.
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

    /// How many documents the dump has.
    func documents() throws -> Int {
        try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM documents") ?? 0 }
    }

    /// Whether some document has several rows.
    func hasLaterRows() throws -> Bool {
        try queue.read { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM later)") ?? false }
    }

    /// The place of the row with which the row at `offset` comes; `nil` if it does not come with an earlier one.
    func first(ofLaterRow offset: Int) throws -> Int? {
        try queue.read { database in
            let statement = try database.cachedStatement(sql: "SELECT first FROM later WHERE offset = ? AND first <> offset")
            return try Int.fetchOne(statement, arguments: [offset])
        }
    }

    /// The rows that come with the one at `first`, in the order of the dump.
    func rows(of id: String, with first: Int) throws -> [Row] {
        try queue.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT offset, bytes FROM later WHERE id = ?1 AND first = ?2 AND offset > ?2 ORDER BY offset")
            return try GRDB.Row.fetchAll(statement, arguments: [Data(id.utf8), first]).map { row in
                Row(id: id, offset: row[0], bytes: Array(row[1] as Data))
            }
        }
    }

    /// Whether a document comes in several parts, and whether the one that begins at `offset` is the first.
    func part(of id: String, at offset: Int) throws -> (isOfMany: Bool, isFirst: Bool) {
        try queue.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT parts > 1, NOT EXISTS (SELECT 1 FROM later WHERE offset = ?2) FROM documents WHERE id = ?1")
            let row = try GRDB.Row.fetchOne(statement, arguments: [Data(id.utf8), offset])
            return row.map { ($0[0], $0[1]) } ?? (false, true)
        }
    }

    /// Visits all rows of a document but its first one, one after the other.
    func eachLaterRow(of id: String, _ visit: (Row) throws -> Void) throws {
        try queue.read { database in
            let rows = try GRDB.Row.fetchCursor(
                database, sql: "SELECT offset, bytes FROM later WHERE id = ? ORDER BY offset", arguments: [Data(id.utf8)])
            while let row = try rows.next() { try visit(Row(id: id, offset: row[0], bytes: Array(row[1] as Data))) }
        }
    }
}
