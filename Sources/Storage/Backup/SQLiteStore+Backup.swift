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
    /// Whoever restores calls ``raiseFence()`` before anybody is served; this copies only.
    ///
    /// - Throws: ``StorageError``: `conflict` if there is a store at `path`, or the file has a log beside it; `notFound`, `notAStore`, `newerSchema`; `full`.
    public static func restore(from file: String, to path: String) throws {
        let files = FileManager.default
        guard files.fileExists(atPath: file) else { throw StorageError(.notFound, "\(file): there is no backup here. Check the path.") }
        guard Self.size(of: file + "-wal") == 0 else {
            throw StorageError(
                .conflict,
                "\(file): a write-ahead log stands beside it, which holds what was written last. This is the database of a store, and no backup: name the store's folder to `dualgauge backup`, and restore that file."
            )
        }
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
            try Disk.synchronize(unfinished)
            try files.moveItem(atPath: unfinished, toPath: Self.file(in: path))
            try Disk.synchronize(path)
        } catch {
            try? removeIfThere(unfinished)
            throw StorageError(error, path: file)
        }
    }

    private static func removeIfThere(_ file: String) throws {
        guard FileManager.default.fileExists(atPath: file) else { return }
        try FileManager.default.removeItem(atPath: file)
    }
}
