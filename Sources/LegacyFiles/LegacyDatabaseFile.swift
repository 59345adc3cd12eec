package import Foundation
package import GRDB

/// A database's file as Couchbase Lite 1.x writes it, for tests and benchmarks.
package struct LegacyDatabaseFile {
    /// A row of `revs`.
    package struct Revision {
        let id: String
        let json: Data?
        let isDeleted: Bool

        /// - Parameter json: The body; `nil` as after a compaction.
        package init(_ id: String, json: Data?, isDeleted: Bool = false) {
            self.id = id
            self.json = json
            self.isDeleted = isDeleted
        }
    }

    /// The tables of 1.4 (CBL_SQLiteStorage.m, up to schema version 102).
    package static let schema = """
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
    package static let oldSchema = """
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

    package let queue: DatabaseQueue

    /// Makes the file.
    ///
    /// - Parameter settings: statements for each connection before the first table.
    package init(_ file: String, schema: String = LegacyDatabaseFile.schema, settings: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: settings)
            database.add(collation: DatabaseCollation("REVID") { $0.compare($1) })
        }
        queue = try DatabaseQueue(path: file, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: schema) }
    }

    /// Adds documents in one transaction, each with one branch, its oldest revision first.
    ///
    /// - Parameter documents: their IDs, which need not be UTF-8, and their revisions.
    package func add(_ documents: [(id: Data, branch: [Revision])]) throws {
        try queue.write { database in
            for (id, branch) in documents { try Self.insert(id, branch, into: database) }
        }
    }

    private static func insert(_ id: Data, _ branch: [Revision], into database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO docs (docid) VALUES (CAST(? AS TEXT))").execute(arguments: [id])
        let document = database.lastInsertedRowID
        let statement = try database.cachedStatement(
            sql: "INSERT INTO revs (doc_id, revid, parent, current, deleted, json) VALUES (?, ?, ?, ?, ?, ?)")
        var parent: Int64?
        for (index, revision) in branch.enumerated() {
            try statement.execute(
                arguments: [document, revision.id, parent, index == branch.count - 1, revision.isDeleted, revision.json])
            parent = database.lastInsertedRowID
        }
    }
}
