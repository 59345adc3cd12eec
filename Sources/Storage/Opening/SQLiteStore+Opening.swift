import Foundation
import GRDB

extension SQLiteStore {
    /// The database's file in a store's folder.
    static func file(in path: String) -> String { path + "/store.sqlite" }

    /// Makes sure that there is a folder, and a store in it unless one may be created.
    static func prepareFolder(_ path: String, _ options: Options) throws {
        let files = FileManager.default
        var isDirectory: ObjCBool = false
        if files.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue {
            throw StorageError(.notAStore, "\(path): is a file, but a store is a folder. Check the path.")
        }
        guard !files.fileExists(atPath: file(in: path)) else { return }
        guard options.createsIfMissing else {
            throw StorageError(.notFound, "\(path): there is no store here. Check the path.")
        }
        do {
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StorageError(.readOnly, "\(path): the folder cannot be created. Check the path and its permissions.", cause: error)
        }
    }

    /// Opens the connection that writes, and brings the database up to date.
    static func openWriter(_ path: String, _ options: Options, isAlone: Bool) throws -> DatabaseQueue {
        var configuration = configuration(options, cache: options.writerCache)
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(options.checkpointPages)")
            // Debian's SQLite writes zeros over what is deleted. In pages that are written anyway that costs nothing; pages that are given
            // back would be written for it alone.
            try database.execute(sql: "PRAGMA secure_delete = FAST")
            // What a long reader made the log grow to is given back.
            try database.execute(sql: "PRAGMA journal_size_limit = \(options.checkpointPages * 2 * 4096)")
            if let pages = options.maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(pages)") }
            // Before GRDB changes anything in a file that may not be ours.
            try Schema(path: path).check(database)
        }
        let writer = try DatabaseQueue(path: file(in: path), configuration: configuration)
        try writer.writeWithoutTransaction { database in
            // GRDB has just relaxed it, as it does for every log.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try Schema(path: path).migrate(database)
            try prepareContents(Connection(database, path: path), isAlone: isAlone)
        }
        return writer
    }

    static func readerConfiguration(_ options: Options) -> Configuration {
        var configuration = configuration(options, cache: options.readerCache)
        configuration.readonly = true
        return configuration
    }

    private static func configuration(_ options: Options, cache: Int) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .callback(waiting(atMost: options.busyTimeout))
        // Transactions are begun and ended behind GRDB's back.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = \(-max(64, cache / 1024))")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }

    /// Looks every millisecond whether another process has done with its transaction. SQLite's own pauses grow to a tenth of a second, and one
    /// that moves a million documents has long begun its next transaction by then.
    private static func waiting(atMost timeout: Double) -> Database.BusyCallback {
        let tries = Int(timeout * 1_000)
        return { number in
            guard number < tries else { return false }
            usleep(1_000)
            return true
        }
    }

    /// Gives a new store its UUID and its counter, and removes what an earlier process left unfinished.
    private static func prepareContents(_ connection: Connection, isAlone: Bool) throws {
        try connection.run("BEGIN IMMEDIATE")
        do {
            try connection.run("INSERT OR IGNORE INTO settings (name, value) VALUES ('store.counter', ?1)", Sequence.origin)
            try connection.run(
                "INSERT OR IGNORE INTO settings (name, value) VALUES ('store.uuid', ?1)", withUnsafeBytes(of: UUID().uuid) { Array($0) })
            if isAlone {
                let transaction = try SQLiteTransaction(beginningOn: connection)
                for key in try connection.all("SELECT key FROM attachments WHERE digest IS NULL", row: { $0.integer(0) }) {
                    try transaction.abandonAttachment(key)
                }
            }
            try connection.run("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }
}
