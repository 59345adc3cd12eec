import Foundation
import GRDB
package import Storage

/// A folder in which a store in SQLite is made by a copy.
///
/// An unfinished copy has another application ID in SQLite's header, so no program takes it for a store.
package final class SQLiteCopyTarget: CopyTarget {
    package let place: String
    private var database: RowDatabase?
    private var lock: StoreLock?

    /// - Parameter path: The store's folder. Nothing is created yet.
    package init(path: String) {
        place = path
    }

    package func close() {
        database = nil
        lock?.unlock()
        lock = nil
    }

    private func opened() throws -> RowDatabase {
        if let database { return database }
        let opened = try RowDatabase(place)
        database = opened
        return opened
    }

    /// Takes the folder for this process alone.
    private func prepare() throws {
        guard lock == nil else { return }
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        } catch {
            throw StorageError(.readOnly, "\(place): the folder cannot be created. Check the path and its permissions.", cause: error)
        }
        let lock = try StoreLock(path: place + "/store.lock", createsIfMissing: true)
        guard lock.isAlone else {
            throw StorageError(.busy, "\(place): another process uses the folder. Stop it, then try again.")
        }
        // Another process that opens the folder does not wait, and finds an unfinished copy. Another copy finds that it is not alone.
        lock.share()
        self.lock = lock
    }

    package func content() throws -> CopyTargetContent {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: place, isDirectory: &isFolder) else { return .empty }
        guard isFolder.boolValue else { throw foreign("is a file, but a store is a folder") }
        let names = try files.contentsOfDirectory(atPath: place)
        guard names.allSatisfy({ $0.hasPrefix("store.") }) else { throw foreign("the folder has files of another program") }
        guard SQLiteStore.size(of: SQLiteStore.file(in: place)) > 0 else { return .empty }
        let version: Int
        do {
            let queue = try DatabaseQueue(path: SQLiteStore.file(in: place), configuration: Configuration())
            defer { try? queue.close() }
            let (application, tables) = try queue.inDatabase { database in
                (
                    try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
                )
            }
            if application == 0, tables == 0 { return .empty }
            if application == Schema.unfinishedID { return .unfinished(try record()) }
            version = try queue.inDatabase { try Schema(path: place).check($0) }
        } catch {
            throw StorageError(error, path: place)
        }
        guard version > 0 else { return .empty }
        let source = try SQLiteCopySource(path: place)
        return .store(uuid: try source.withSnapshot { try $0.values().uuid }, moved: try source.moved())
    }

    private func foreign(_ reason: String) -> StorageError {
        StorageError(.notAStore, "\(place): \(reason). Name another folder for the copy; nothing was changed.")
    }

    private func record() throws -> CopyRecord {
        guard let text = try opened().text("SELECT record FROM unfinished_copy") else {
            throw StorageError(.corrupt, "\(place): the unfinished copy has no record of its progress. Remove the folder and begin again.")
        }
        return try CopyMarkText.read(text, at: place)
    }

    package func begin(_ record: CopyRecord) throws {
        try prepare()
        let files = FileManager.default
        for suffix in ["-wal", "-shm"] where SQLiteStore.size(of: SQLiteStore.file(in: place)) == 0 {
            let file = SQLiteStore.file(in: place) + suffix
            if files.fileExists(atPath: file) { try files.removeItem(atPath: file) }
        }
        let database = try RowDatabase(place, createsIfMissing: true)
        self.database = database
        try database.transaction {
            for step in SchemaVersion.all { try database.run(String(decoding: step.sql, as: UTF8.self)) }
            try database.run(
                """
                DELETE FROM settings; DELETE FROM collections;
                CREATE TABLE unfinished_copy (key INTEGER PRIMARY KEY CHECK (key = 1), record TEXT NOT NULL) STRICT;
                PRAGMA application_id = \(Schema.unfinishedID); PRAGMA user_version = \(SchemaVersion.newest);
                """)
            try write(record, database)
        }
    }

    private func write(_ record: CopyRecord, _ database: RowDatabase) throws {
        let statement = try database.statement("INSERT OR REPLACE INTO unfinished_copy (key, record) VALUES (1, ?1)")
        statement.bind(try CopyMarkText.text(record), at: 1)
        _ = try statement.step()
    }

    package func add(_ rows: StoredRows, _ record: CopyRecord) throws {
        try changing(isDurable: false) { database in
            try SQLiteCopyChange(database).add(rows)
            try write(record, database)
        }
    }

    package func note(_ record: CopyRecord) throws {
        try changing(isDurable: false) { try write(record, $0) }
    }

    package func change(_ record: CopyRecord, _ work: (any CopyTargetChange) throws -> Void) throws {
        try changing(isDurable: true) { database in
            try database.run(SQLiteCopyChange.stagingTable)
            try work(SQLiteCopyChange(database))
            try write(record, database)
            try database.run("DROP TABLE temp.\(RowStatements.staged)")
        }
    }

    private func changing(isDurable: Bool, _ work: (RowDatabase) throws -> Void) throws {
        try prepare()
        let database = try opened()
        // A batch that a power failure takes away is copied again, together with its record.
        try database.run("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        try database.transaction { try work(database) }
    }

    package func withSnapshot<Value>(_ work: (any RowSnapshot) throws -> Value) throws -> Value {
        let database = try opened()
        return try database.transaction("BEGIN") { try work(SQLiteRowSnapshot(database)) }
    }

    package func complete(_ values: StoreValues, adding rows: [StoredRows]) throws {
        try changing(isDurable: true) { database in
            for rows in rows { try SQLiteCopyChange(database).add(rows) }
            let settings: [(String, Int64)] = [
                ("origin", values.origin), ("counter", values.counter), ("collections", values.collections), ("access", values.access),
                ("access.everyone", values.accessOfEveryone), ("channels.apart", values.channelsApart),
            ]
            for (name, value) in settings {
                try database.run("INSERT INTO settings (name, value) VALUES ('store.\(name)', \(value))")
            }
            if values.hasReaders { try database.run("INSERT INTO settings (name, value) VALUES ('\(SQLiteSnapshot.readersSetting)', '1')") }
            let uuid = try database.statement("INSERT INTO settings (name, value) VALUES ('store.uuid', ?1)")
            uuid.bind(values.uuid, at: 1)
            _ = try uuid.step()
            try database.run("DROP TABLE unfinished_copy; PRAGMA application_id = \(Schema.applicationID)")
        }
        try database?.run("PRAGMA wal_checkpoint(TRUNCATE)")
        lock?.markStore()
        try Disk.synchronize(place)
    }

    package func discardMovedStore() throws {
        try prepare()
        database = nil
        // The database goes first: without its log it may be the state before the move.
        for suffix in ["", "-wal", "-shm"] {
            let file = SQLiteStore.file(in: place) + suffix
            if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
        }
    }
}
