public import Foundation
public import GRDB

/// Makes databases as Couchbase Lite 1.x would.
public struct LegacyDatabaseBuilder {
    /// The tables of 1.4.
    public static let schema = """
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
        PRAGMA user_version = 102;
        """

    /// The tables of 1.0.
    public static let oldSchema = """
        CREATE TABLE docs (doc_id INTEGER PRIMARY KEY, docid TEXT UNIQUE NOT NULL);
        CREATE TABLE revs (sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            doc_id INTEGER NOT NULL REFERENCES docs(doc_id) ON DELETE CASCADE, revid TEXT NOT NULL COLLATE REVID,
            parent INTEGER REFERENCES revs(sequence) ON DELETE SET NULL, current BOOLEAN, deleted BOOLEAN DEFAULT 0, json BLOB);
        CREATE INDEX revs_current ON revs(doc_id, current);
        CREATE TABLE attachments (sequence INTEGER NOT NULL REFERENCES revs(sequence) ON DELETE CASCADE, filename TEXT NOT NULL,
            key BLOB NOT NULL, type TEXT, length INTEGER NOT NULL, revpos INTEGER DEFAULT 0, encoding INTEGER DEFAULT 0,
            encoded_length INTEGER);
        PRAGMA user_version = 11;
        """

    public let queue: DatabaseQueue

    public init(_ file: String, schema: String = LegacyDatabaseBuilder.schema) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA page_size = 1024")
            database.add(collation: DatabaseCollation("REVID") { $0.compare($1) })
        }
        queue = try DatabaseQueue(path: file, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: schema) }
    }

    /// Adds documents `d1`, `d2` and so on, each of two revisions of which one is a leaf.
    public func fill(_ range: ClosedRange<Int>, padding: Int = 100) throws {
        try queue.write { database in
            for number in range {
                try database.execute(sql: "INSERT INTO docs (docid) VALUES (?)", arguments: ["d\(number)"])
                let key = database.lastInsertedRowID
                try database.execute(
                    sql: "INSERT INTO revs (doc_id, revid, current, deleted, json) VALUES (?, '1-aa', 0, 0, NULL)", arguments: [key])
                let json = Data("{\"n\":\(number),\"padding\":\"\(String(repeating: "x", count: padding))\"}".utf8)
                try database.execute(
                    sql: "INSERT INTO revs (doc_id, revid, parent, current, deleted, json) VALUES (?, '2-bb', ?, 1, 0, ?)",
                    arguments: [key, database.lastInsertedRowID, json])
            }
        }
    }

    /// Adds a document of one revision.
    public func add(_ id: Data, revision: String = "1-aa", json: Data?, isDeleted: Bool = false) throws {
        try queue.write { database in
            try database.execute(sql: "INSERT INTO docs (docid) VALUES (CAST(? AS TEXT))", arguments: [id])
            try database.execute(
                sql: "INSERT INTO revs (doc_id, revid, current, deleted, json) VALUES (?, ?, 1, ?, ?)",
                arguments: [database.lastInsertedRowID, revision, isDeleted, json])
        }
    }

    public func add(_ id: String, revision: String = "1-aa", json: String?, isDeleted: Bool = false) throws {
        try add(Data(id.utf8), revision: revision, json: json.map { Data($0.utf8) }, isDeleted: isDeleted)
    }
}
