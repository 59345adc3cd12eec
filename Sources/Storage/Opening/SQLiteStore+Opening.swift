import Foundation
import GRDB

extension SQLiteStore {
    /// The database's file in a store's folder.
    static func file(in path: String) -> String { path + "/store.sqlite" }

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

    static func configuration(_ path: String, _ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = max(1, options.readerCount)
        configuration.busyMode = .timeout(options.busyTimeout)
        configuration.persistentReadOnlyConnections = true
        configuration.prepareDatabase { database in
            let isReader = database.configuration.readonly
            let cache = isReader ? options.readerCache : options.writerCache
            try database.execute(sql: "PRAGMA cache_size = \(-max(64, cache / 1024))")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            guard !isReader else { return }
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(options.checkpointPages)")
            // What a long reader made the log grow to is given back.
            try database.execute(sql: "PRAGMA journal_size_limit = \(options.checkpointPages * 4 * 4096)")
            if let pages = options.maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(pages)") }
            // Before the pool changes anything in a file that is not ours.
            try Schema(path: path).check(database)
        }
        return configuration
    }

    /// Gives a new store its UUID and its counter, and removes what an earlier process left unfinished.
    static func prepareContents(_ connection: Connection, isAlone: Bool) throws {
        let unfinished = try isAlone ? connection.all("SELECT key FROM attachments WHERE digest IS NULL") { $0.integer(0) } : []
        let isNew = try connection.first("SELECT 1 FROM settings WHERE name = 'store.uuid'") { _ in true } == nil
        guard isNew || !unfinished.isEmpty else { return }
        try connection.run("BEGIN IMMEDIATE")
        do {
            try connection.run(
                "INSERT OR IGNORE INTO settings (name, value) VALUES ('store.counter', ?1)", Sequence.origin)
            try connection.run("INSERT OR IGNORE INTO settings (name, value) VALUES ('store.uuid', ?1)", randomUUID())
            let transaction = try SQLiteTransaction(beginningOn: connection)
            for key in unfinished { try transaction.abandonAttachment(key) }
            try connection.run("COMMIT")
        } catch {
            if connection.isInTransaction { try connection.run("ROLLBACK") }
            throw error
        }
    }

    private static func randomUUID() -> [UInt8] {
        withUnsafeBytes(of: UUID().uuid) { Array($0) }
    }
}
