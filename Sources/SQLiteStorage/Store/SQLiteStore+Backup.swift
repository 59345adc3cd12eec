import Foundation
import GRDB
import Storage

extension SQLiteStore {
    /// Writes a consistent copy of the store into a new file, while the store is in use.
    ///
    /// The copy is a compact SQLite database. It is complete and on the disk when this returns. If it fails, no file remains.
    ///
    /// - Throws: ``StorageError``: `conflict` if the file exists; `full`, `inputOutput`.
    package func backup(to file: String) async throws {
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

    /// Creates a store at `path` from a backup.
    ///
    /// Only copies the file. The caller has to call ``raiseFence()`` before the store serves any client.
    ///
    /// - Throws: ``StorageError``: `conflict` if there is a store at `path`, or a write-ahead log beside the file; `notFound`, `notAStore`,
    ///   `newerSchema`, `olderSchema`; `full`.
    package static func restore(from file: String, to path: String) throws {
        let files = FileManager.default
        guard files.fileExists(atPath: file) else { throw StorageError(.notFound, "\(file): there is no backup here. Check the path.") }
        guard Self.size(of: file + "-wal") == 0 else {
            throw StorageError(
                .conflict,
                """
                \(file): the last changes are in a write-ahead log beside it, so this is the database of a store and not a backup. Make a backup of \
                the store's folder with `dualgauge backup`, and restore that file.
                """
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
            // A backup that was made during a copy has its journal, and the copy does not go on from here.
            try SQLiteCopySource.end(RowDatabase(path))
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

/// File operations that Foundation does not have.
enum Disk {
    /// Waits until a file, or a folder's list of entries, is on the disk.
    static func synchronize(_ file: String) throws {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(.inputOutput, "\(file): cannot be opened (\(String(cString: strerror(errno)))).") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw StorageError(.inputOutput, "\(file): cannot be written to the disk (\(String(cString: strerror(errno)))).")
        }
    }
}
