import Documents
import Foundation
import GRDB

/// Rows as a database of Couchbase Lite 1.4: `NAME.cblite2` with the file `db.sqlite3` and the folder `attachments`.
enum LegacyDatabaseFile {
    /// CBL_SQLiteStorage.m, up to schema version 102.
    private static let schema = """
        CREATE TABLE docs (doc_id INTEGER PRIMARY KEY, docid TEXT UNIQUE NOT NULL, expiry_timestamp INTEGER);
        CREATE TABLE revs (sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            doc_id INTEGER NOT NULL REFERENCES docs(doc_id) ON DELETE CASCADE, revid TEXT NOT NULL COLLATE REVID,
            parent INTEGER REFERENCES revs(sequence) ON DELETE SET NULL, current BOOLEAN, deleted BOOLEAN DEFAULT 0, json BLOB,
            no_attachments BOOLEAN, doc_type TEXT, UNIQUE (doc_id, revid));
        CREATE INDEX revs_parent ON revs(parent);
        CREATE INDEX revs_by_docid_revid ON revs(doc_id, revid desc, current, deleted);
        CREATE INDEX revs_current ON revs(doc_id, current desc, deleted, revid desc);
        CREATE TABLE localdocs (docid TEXT UNIQUE NOT NULL, revid TEXT NOT NULL COLLATE REVID, json BLOB);
        CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT);
        INSERT INTO info (key, value) VALUES ('privateUUID', 'benchmark');
        PRAGMA user_version = 102;
        """

    static func write(_ rows: MigrationRows, to folder: String) throws {
        let blobs = "\(folder)/attachments"
        try FileManager.default.createDirectory(atPath: blobs, withIntermediateDirectories: true)
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            database.add(collation: DatabaseCollation("REVID") { $0.compare($1) })
        }
        let queue = try DatabaseQueue(path: "\(folder)/db.sqlite3", configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: schema) }
        for batch in rows.batches(10_000) {
            try queue.write { database in for row in batch { try insert(row, into: database) } }
            for attachment in batch.compactMap(\.attachment) {
                let name = attachment.digest.bytes.map { String(format: "%02X", $0) }.joined()
                try Data(attachment.bytes).write(to: URL(fileURLWithPath: "\(blobs)/\(name).blob"))
            }
        }
        try queue.close()
    }

    private static func insert(_ row: MigrationRows.Row, into database: GRDB.Database) throws {
        try database.cachedStatement(sql: "INSERT INTO docs (docid) VALUES (?)").execute(arguments: [row.id])
        let document = database.lastInsertedRowID
        let statement = try database.cachedStatement(
            sql: "INSERT INTO revs (doc_id, revid, parent, current, deleted, json, no_attachments) VALUES (?, ?, ?, ?, 0, ?, ?)")
        var parent: Int64?
        for (index, revision) in row.revisions.enumerated().reversed() {
            let members = [revision.members, row.attachment?.stub].compactMap { $0 }.joined(separator: ",")
            try statement.execute(
                arguments: [document, revision.id.text, parent, index == 0, Data("{\(members)}".utf8), row.attachment == nil])
            parent = database.lastInsertedRowID
        }
    }
}
