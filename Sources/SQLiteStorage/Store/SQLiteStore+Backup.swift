import Foundation
import GRDB
public import Storage

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

extension SQLiteStore {
    /// How many changes may have been lost between a backup and its restoring. As long as sequences fit into 32 bits, the gap is smaller, so that
    /// eleven of them fit as well: a day of more than a thousand changes a second may be lost. Below 2^53 there is room for millions of the large ones.
    private static let gap: Int64 = 1_000_000_000
    private static let smallGap: Int64 = 100_000_000

    /// Raises the counter beyond everything that clients may have seen in the time that a restored store does not know.
    ///
    /// Without it, new changes would get sequences that clients have passed already, and would never reach them.
    /// The gap is remembered: a client that stands in it is taken back to where the backup ends. So is the time: versions of what is written from now
    /// on are newer than all that were told in the gap.
    ///
    /// - Returns: the counter from now on.
    @discardableResult
    public func raiseFence() async throws -> SequenceNumber {
        try await write { transaction in
            let last = try transaction.lastSequence
            let near = SequenceNumber(last.value + Self.smallGap)
            let fence = near < .saturated ? near : SequenceNumber(last.value + Self.gap)
            try transaction.setFence(from: last, to: fence, at: Int64(Date().timeIntervalSince1970 * 1000))
            try transaction.raiseCounter(to: fence)
            return fence
        }
    }
}

/// What Foundation does not say of files.
enum Disk {
    /// Waits until a file, or a folder's list of files, is on the disk.
    static func synchronize(_ file: String) throws {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(.inputOutput, "\(file): cannot be opened (\(String(cString: strerror(errno)))).") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw StorageError(.inputOutput, "\(file): cannot be written to the disk (\(String(cString: strerror(errno)))).")
        }
    }
}
