import Foundation
import GRDB
import Storage

extension SQLiteStore {
    /// The database's file in a store's folder.
    static func file(in path: String) -> String { path + "/store.sqlite" }

    /// Checks that the folder has a store, or creates the folder if a store may be created.
    static func prepareFolder(_ path: String, _ options: Options) throws {
        let files = FileManager.default
        var isDirectory: ObjCBool = false
        if files.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue {
            throw StorageError(.notAStore, "\(path): is a file, but a store is a folder. Check the path.")
        }
        guard !files.fileExists(atPath: file(in: path)) else { return }
        guard options.createsIfMissing, !options.isReadOnly else {
            throw StorageError(.notFound, "\(path): there is no store here. Check the path.")
        }
        do {
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StorageError(.readOnly, "\(path): the folder cannot be created. Check the path and its permissions.", cause: error)
        }
    }

    /// The size of a file in bytes; 0 if it does not exist.
    static func size(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? Int ?? 0
    }

    /// Throws for a store without its database, which SQLite would treat as a new store.
    ///
    /// - Parameter lock: The acquired lock, which prevents another process from creating the store at the same time.
    static func refuseLostDatabase(_ path: String, _ options: Options, _ lock: StoreLock) throws {
        let file = file(in: path)
        guard size(of: file) == 0, size(of: file + "-wal") == 0 else { return }
        let isThere = FileManager.default.fileExists(atPath: file)
        // The lock file is created before the database. So a database without a lock file is not the result of an interrupted creation.
        guard lock.hadStore || !options.createsIfMissing || options.isReadOnly || (isThere && lock.isNew) else { return }
        throw StorageError(
            .corrupt,
            """
            \(path): store.sqlite \(isThere ? "is empty" : "is gone"). A full disk, a power failure or an interrupted copy can cause this. Restore \
            a backup into another folder, or remove this folder to start with an empty store.
            """)
    }

    /// Opens the writing connection with the first access mode that works, and migrates the database.
    ///
    /// - Parameter accesses: The access modes in order of preference.
    static func openWriter(
        _ path: String, _ options: Options, _ accesses: [StoreAccess], _ lock: StoreLock
    ) throws -> (DatabaseQueue, StoreAccess) {
        var failure: any Error = StorageError(.unexpected, "\(path): the store cannot be opened.")
        for access in accesses {
            do {
                return (try openWriter(path, options, access, isAlone: lock.isAlone), access)
            } catch {
                failure = error
                guard access.allowsNextMode(after: error, in: path, isOnReadOnlyDisk: lock.isOnReadOnlyDisk) else { break }
            }
        }
        throw failure
    }

    static func openWriter(_ path: String, _ options: Options, _ access: StoreAccess, isAlone: Bool) throws -> DatabaseQueue {
        guard !access.isReadOnly else { return try openReadOnly(path, options, access) }
        var configuration = configuration(path, options, access, cache: options.writerCache)
        // GRDB would create a missing log, for which a full disk has no space. SQLite stores the mode in the file.
        if access == .shared { configuration.journalMode = .wal }
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(options.checkpointPages)")
            // Debian's SQLite overwrites deleted data with zeros. FAST does so only in pages that are written anyway; freed pages would be written
            // for it alone.
            try database.execute(sql: "PRAGMA secure_delete = FAST")
            // Truncates a log that grew during a long read.
            try database.execute(sql: "PRAGMA journal_size_limit = \(options.checkpointPages * 2 * 4096)")
            if let pages = options.maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(pages)") }
            // Before GRDB changes a file that may not be a store.
            try Schema(path: path).check(database)
        }
        let writer = try DatabaseQueue(path: access.name(in: path), configuration: configuration)
        try writer.writeWithoutTransaction { database in
            // GRDB relaxes it for every database in WAL mode.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try Schema(path: path).migrate(database)
            try prepareContents(Connection(database, path: path), isAlone: isAlone)
        }
        return writer
    }

    /// Opens a database for reading only. Its schema must have the newest version.
    private static func openReadOnly(_ path: String, _ options: Options, _ access: StoreAccess) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: access.name(in: path), configuration: readerConfiguration(path, options, access))
        try queue.inDatabase { try Schema(path: path).checkReadable($0) }
        return queue
    }

    static func readerConfiguration(_ path: String, _ options: Options, _ access: StoreAccess) -> Configuration {
        var configuration = configuration(path, options, access, cache: options.readerCache)
        configuration.readonly = true
        return configuration
    }

    private static func configuration(_ path: String, _ options: Options, _ access: StoreAccess, cache: Int) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .callback(waiting(atMost: options.busyTimeout))
        // Transactions begin and end with statements that GRDB does not see.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            try access.prepare(database, in: path)
            try database.execute(sql: "PRAGMA cache_size = \(-max(64, cache / 1024))")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }

    /// Retries every millisecond until another process ends its transaction. SQLite's own pauses grow to 100 ms. A process that moves a million
    /// documents has started its next transaction by then.
    private static func waiting(atMost timeout: Double) -> Database.BusyCallback {
        let tries = Int(timeout * 1_000)
        return { number in
            guard number < tries else { return false }
            usleep(1_000)
            return true
        }
    }

    /// Initialises a new store's UUID and counter, and removes unfinished attachments of an earlier process.
    private static func prepareContents(_ connection: Connection, isAlone: Bool) throws {
        try connection.run("BEGIN IMMEDIATE")
        do {
            for name in ["store.origin", "store.counter"] {
                try connection.run("INSERT OR IGNORE INTO settings (name, value) VALUES (?1, ?2)", name, SequenceNumber.newOrigin)
            }
            try connection.run(
                "INSERT OR IGNORE INTO settings (name, value) VALUES ('store.uuid', ?1)", withUnsafeBytes(of: UUID().uuid) { Array($0) })
            // A store that was moved is not opened for writing.
            let transaction = try SQLiteTransaction(beginningOn: connection)
            if isAlone {
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
