import Foundation
import GRDB

extension SQLiteStore {
    /// Writes a consistent copy of the store into a new file, while the store goes on serving.
    ///
    /// The copy is a plain SQLite database without gaps. It is complete and on the disk when this returns; if it fails, no file is left.
    ///
    /// - Throws: ``StorageError``: `conflict` if the file exists; `full`, `inputOutput`.
    public func backup(to file: String) async throws {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw StorageError(.conflict, "\(file): the file exists. Name a new one, or remove it first.")
        }
        let unfinished = file + ".unfinished"
        try await readers.withConnection { connection in
            do {
                try Self.removeIfThere(unfinished)
                try connection.run("VACUUM INTO ?1", unfinished)
                try Disk.synchronize(unfinished)
                try FileManager.default.moveItem(atPath: unfinished, toPath: file)
            } catch {
                try? Self.removeIfThere(unfinished)
                throw StorageError(error, path: file)
            }
        }
    }

    /// Makes a store at `path` of a backup.
    ///
    /// Clients may have seen sequences that were given out after the backup and are lost. The counter is raised beyond them, and the gap is
    /// remembered, so that a client that stands in it is taken back to where the backup ends.
    ///
    /// - Throws: ``StorageError``: `conflict` if there is a store at `path`; `notFound`, `notAStore`, `newerSchema`; `full`.
    public static func restore(from file: String, to path: String) throws {
        let files = FileManager.default
        guard files.fileExists(atPath: file) else { throw StorageError(.notFound, "\(file): there is no backup here. Check the path.") }
        guard !files.fileExists(atPath: Self.file(in: path)) else {
            throw StorageError(.conflict, "\(path): there is a store here already. Name another folder, or remove it first.")
        }
        let unfinished = Self.file(in: path) + ".unfinished"
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let backup = try DatabaseQueue(path: file, configuration: configuration)
            let version = try backup.read { try Schema(path: file).check($0) }
            try backup.close()
            guard version > 0 else { throw StorageError(.notAStore, "\(file): is an empty database, not a backup of a store.") }
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            try removeIfThere(unfinished)
            try files.copyItem(atPath: file, toPath: unfinished)
            try raiseFence(unfinished, path: path)
            try Disk.synchronize(unfinished)
            try files.moveItem(atPath: unfinished, toPath: Self.file(in: path))
            try Disk.synchronize(path)
        } catch {
            try? removeIfThere(unfinished)
            throw StorageError(error, path: file)
        }
    }

    /// More sequences than a database gives out between a backup and its loss; the counter has room for 900,000 restores.
    static var fenceWidth: Int64 { 10_000_000_000 }

    private static func raiseFence(_ file: String, path: String) throws {
        let copy = try DatabaseQueue(path: file)
        try copy.writeWithoutTransaction { try Schema(path: path).migrate($0) }
        try copy.write { database in
            let counter = try Int64.fetchOne(database, sql: "SELECT value FROM settings WHERE name = 'store.counter'") ?? 0
            let fence = counter + fenceWidth
            try database.execute(sql: "INSERT INTO fences (lower, upper) VALUES (?, ?)", arguments: [counter, fence])
            try database.execute(sql: "UPDATE settings SET value = ? WHERE name = 'store.counter'", arguments: [fence])
        }
        try copy.close()
    }

    private static func removeIfThere(_ file: String) throws {
        guard FileManager.default.fileExists(atPath: file) else { return }
        try FileManager.default.removeItem(atPath: file)
    }
}
