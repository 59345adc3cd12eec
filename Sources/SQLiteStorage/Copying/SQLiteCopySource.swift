import Foundation
import GRDB
package import Storage

/// A store in SQLite from which a copy is made.
package final class SQLiteCopySource: CopySource {
    package let place: String
    private let database: RowDatabase

    /// Opens the store in the folder at `path`. Does not migrate it.
    ///
    /// - Throws: ``StorageError``: `notFound`, `notAStore`, `newerSchema`, `olderSchema`; errors of opening.
    package init(path: String) throws {
        place = path
        guard FileManager.default.fileExists(atPath: SQLiteStore.file(in: path)) else {
            throw StorageError(.notFound, "\(path): there is no store here. Check the path.")
        }
        do {
            let queue = try DatabaseQueue(path: SQLiteStore.file(in: path), configuration: Configuration())
            try queue.inDatabase { try Schema(path: path).checkReadable($0) }
            try queue.close()
        } catch {
            throw StorageError(error, path: path)
        }
        database = try RowDatabase(path)
    }

    package func close() {}

    private func has(_ table: String) throws -> Bool {
        try database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'") == 1
    }

    package func outgoing() throws -> OutgoingCopy? {
        guard try has("outgoing_copy"), let mark = try database.text("SELECT mark FROM outgoing_copy") else { return nil }
        return try CopyMarkText.read(mark, at: place)
    }

    package func moved() throws -> MovedMark? {
        try database.text("SELECT value FROM settings WHERE name = '\(SQLiteSnapshot.movedSetting)'").map {
            try CopyMarkText.read($0, at: place)
        }
    }

    package func begin(_ copy: OutgoingCopy) throws {
        try writing {
            let mark = try database.statement("INSERT INTO outgoing_copy (key, mark) VALUES (1, ?1)")
            mark.bind(try CopyMarkText.text(copy), at: 1)
            _ = try mark.step()
        }
    }

    private func writing(_ insert: () throws -> Void) throws {
        try database.transaction {
            let (integers, bytes) = (CopiedTable.journalIntegers, CopiedTable.journalBytes)
            let columns = (integers + bytes).map { "\($0) ANY" }.joined(separator: ", ")
            try database.run(
                """
                CREATE TABLE outgoing_copy (key INTEGER PRIMARY KEY CHECK (key = 1), mark TEXT NOT NULL) STRICT;
                CREATE TABLE \(RowStatements.journal) (number INTEGER PRIMARY KEY, place INTEGER NOT NULL, \(columns)) STRICT;
                """)
            for table in CopiedTable.all { try database.run(Self.triggers(of: table)) }
            try insert()
        }
    }

    /// The triggers that note each changed row of a table. A row whose key changes is noted under both keys.
    private static func triggers(of table: CopiedTable) -> String {
        let statements = RowDatabase.statements
        let key = table.keyColumns.map { statements.name($0.name) }.joined(separator: ", ")
        let events = [
            ("insert", "INSERT", "NEW"), ("update", "UPDATE", "NEW"), ("rename", "UPDATE OF \(key)", "OLD"), ("delete", "DELETE", "OLD"),
        ]
        return events.map { name, event, row in
            let condition = table.name == "settings" ? " WHEN substr(\(row).name, 1, 6) <> 'store.'" : ""
            return """
                CREATE TRIGGER outgoing_\(table.name)_\(name) AFTER \(event) ON \(table.name)\(condition)
                BEGIN \(statements.note(table, row)); END;
                """
        }.joined(separator: "\n")
    }

    package func withSnapshot<Value>(_ work: (any JournaledSnapshot) throws -> Value) throws -> Value {
        try database.transaction("BEGIN") { try work(SQLiteRowSnapshot(database)) }
    }

    package func withWritersWaiting(_ work: (any JournaledSnapshot) throws -> MovedMark?) throws {
        try database.transaction {
            guard let mark = try work(SQLiteRowSnapshot(database)) else { return }
            let statement = try database.statement("INSERT INTO settings (name, value) VALUES ('\(SQLiteSnapshot.movedSetting)', ?1)")
            statement.bind(try CopyMarkText.text(mark), at: 1)
            _ = try statement.step()
        }
    }

    package func forgetChanges(upTo number: Int64) throws {
        // The last change stays, so that numbers are not assigned again.
        try database.transaction {
            try database.run(
                "DELETE FROM \(RowStatements.journal) WHERE number <= \(number) AND number < (SELECT max(number) FROM \(RowStatements.journal))"
            )
        }
    }

    package func end() throws { try Self.end(database) }

    /// Removes what a copy from the store has added to it. Does nothing without a copy.
    static func end(_ database: RowDatabase) throws {
        try database.transaction {
            let triggers = try database.statement(
                "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'outgoing\\_%' ESCAPE '\\'")
            var names: [String] = []
            while try triggers.step() { names.append(String(decoding: triggers.bytes(0), as: UTF8.self)) }
            for name in names { try database.run("DROP TRIGGER \"\(name)\"") }
            try database.run("DROP TABLE IF EXISTS outgoing_copy; DROP TABLE IF EXISTS \(RowStatements.journal)")
        }
    }

    package func release() throws {
        try database.transaction {
            let counter = try database.integer("SELECT value FROM settings WHERE name = 'store.counter'") ?? 0
            let fence = StoreFence(after: counter)
            try database.run(
                """
                DELETE FROM settings WHERE name = '\(SQLiteSnapshot.movedSetting)';
                INSERT OR REPLACE INTO fences (lower, upper, raised) VALUES (\(fence.lower), \(fence.upper), \(fence.raised));
                UPDATE settings SET value = \(fence.upper) WHERE name = 'store.counter';
                """)
        }
    }
}
