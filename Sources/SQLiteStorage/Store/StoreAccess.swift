import Foundation
import GRDB
import GRDBSQLite

/// The access mode of a store's database: as the disk allows, with no more rights than requested.
enum StoreAccess: Sendable {
    /// Reading and writing, concurrently with other processes.
    case shared

    /// Reading and writing, by this process only. The index of the write-ahead log is in memory, because a full disk has no space for the file that
    /// processes share.
    case exclusive

    /// Reading, concurrently with processes that write.
    case reading

    /// Reading without locks, when no process can write: the file system is read-only, or it is full and no process uses the store. SQLite creates
    /// no file and takes no lock.
    case unlocked

    /// The access modes to try, in order. A file system that is read-only here may be written elsewhere, for example by a bridge in another
    /// container that shares it read-only. So the modes with locks come first.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether the store is only read.
    ///   - isOnReadOnlyDisk: Whether the file system is read-only.
    static func candidates(isReadOnly: Bool, isOnReadOnlyDisk: Bool) -> [StoreAccess] {
        if isReadOnly { return [.reading, .unlocked] }
        return isOnReadOnlyDisk ? [.unlocked] : [.shared, .exclusive]
    }

    /// Whether writes fail.
    var isReadOnly: Bool { self == .reading || self == .unlocked }

    /// The restriction of a store that was opened for writing; `nil` if there is none.
    var restriction: String? {
        switch self {
        case .shared, .reading: nil
        case .exclusive:
            """
            the disk is full: documents are read, writes fail until there is room, and other processes cannot open the store until the next start; \
            free some space
            """
        case .unlocked:
            "the disk is read-only: documents are read, and every write fails until the next start on a disk that can be written"
        }
    }

    /// SQLite's name of the database: a path or URI.
    ///
    /// - Parameter path: The store's folder.
    func name(in path: String) -> String {
        let file = SQLiteStore.file(in: path)
        switch self {
        case .shared, .reading: return file
        case .exclusive: return Self.address(file, "vfs=unix-excl")
        case .unlocked: return Self.address(file, Self.hasLog(path) ? "vfs=unix-none" : "immutable=1")
        }
    }

    /// Prepares a connection before its first access.
    func prepare(_ database: Database, in path: String) throws {
        guard self == .unlocked, Self.hasLog(path) else { return }
        // Reads the log with its index in memory.
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
    }

    /// Whether the next access mode may be tried after this error: SQLite lacked the space or the permission to create the log's index.
    func allowsNextMode(after error: any Error, in path: String, isOnReadOnlyDisk: Bool) -> Bool {
        guard let code = (error as? DatabaseError)?.extendedResultCode.rawValue else { return false }
        // On a read-only disk SQLite refuses an index without locks, and cannot create a new one.
        if isOnReadOnlyDisk { return code & 0xff == SQLITE_CANTOPEN || code & 0xff == SQLITE_READONLY }
        // A complete index belongs to processes that use the store.
        guard SQLiteStore.size(of: SQLiteStore.file(in: path) + "-shm") < Self.indexSize else { return false }
        let isFull = code == Self.cannotSizeIndex || code & 0xff == SQLITE_FULL
        return self == .shared ? isFull : isFull || code & 0xff == SQLITE_CANTOPEN || code & 0xff == SQLITE_READONLY
    }

    /// Whether there are commits in the write-ahead log.
    private static func hasLog(_ path: String) -> Bool { SQLiteStore.size(of: SQLiteStore.file(in: path) + "-wal") > 0 }

    private static func address(_ file: String, _ query: String) -> String {
        let plain = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
        return "file:\(file.addingPercentEncoding(withAllowedCharacters: plain) ?? file)?\(query)"
    }

    /// The minimum size of a write-ahead log's index, in bytes (SQLite's WAL format, "WAL-Index Format").
    private static let indexSize = 32_768

    /// `SQLITE_IOERR_SHMSIZE`, a macro that Swift does not import.
    private static let cannotSizeIndex: Int32 = SQLITE_IOERR | 19 << 8
}
