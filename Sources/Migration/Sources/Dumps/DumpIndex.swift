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

    /// Rows of one document beyond these stand for themselves: they are put together in memory.
    private static let maximumRows = 10_000
    private static let maximumBytes = 256 << 20

    private let queue: DatabaseQueue
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-\(UUID().uuidString).sqlite").path
        queue = try DatabaseQueue(path: path, configuration: TemporaryDatabase.configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE documents (
                        id BLOB PRIMARY KEY, offset INTEGER NOT NULL, rows INTEGER NOT NULL DEFAULT 1, size INTEGER NOT NULL DEFAULT 0
                    ) WITHOUT ROWID;
                    CREATE TABLE later (offset INTEGER PRIMARY KEY, id BLOB NOT NULL, bytes BLOB NOT NULL);
                    CREATE INDEX later_by_id ON later (id)
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
            let first = try database.cachedStatement(
                sql: """
                    INSERT INTO documents (id, offset) VALUES (?1, ?2)
                    ON CONFLICT (id) DO UPDATE SET rows = rows + 1, size = size + ?3 WHERE rows < ?4 AND size + ?3 <= ?5
                    RETURNING rows
                    """)
            let later = try database.cachedStatement(sql: "INSERT INTO later (offset, id, bytes) VALUES (?, ?, ?)")
            for row in rows {
                let id = Data(row.id.utf8)
                let number = try Int.fetchOne(
                    first, arguments: [id, row.offset, row.bytes.count, Self.maximumRows, Self.maximumBytes])
                guard let number, number > 1 else { continue }
                try later.execute(arguments: [row.offset, id, Data(row.bytes)])
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

    /// The place of the first row of the document of which the row at `offset` is a later one; `nil` if it is none.
    func first(ofLaterRow offset: Int) throws -> Int? {
        try queue.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT documents.offset FROM later JOIN documents USING (id) WHERE later.offset = ?")
            return try Int.fetchOne(statement, arguments: [offset])
        }
    }

    /// The later rows of a document, in the order of the dump.
    func laterRows(of id: String) throws -> [Row] {
        try queue.read { database in
            let statement = try database.cachedStatement(sql: "SELECT offset, bytes FROM later WHERE id = ? ORDER BY offset")
            return try GRDB.Row.fetchAll(statement, arguments: [Data(id.utf8)]).map { row in
                Row(id: id, offset: row[0], bytes: Array(row[1] as Data))
            }
        }
    }
}
