import Foundation
import GRDB
import GRDBSQLite

/// How a store's database is opened: as the disk allows, with no more rights than were asked for.
enum StoreAccess: Sendable {
    /// For reading and writing, beside other processes.
    case shared

    /// For reading and writing, by this process alone. The index of the write-ahead log is in memory, because a full disk has no room for the
    /// file by which processes share it.
    case alone

    /// For reading, beside processes that write.
    case reading

    /// For reading, where nobody can write: the file system is read-only, or full with nobody at the store. SQLite makes no file and takes no lock.
    case still

    /// What is tried, in this order. A disk that is read-only here may be written elsewhere, as by the bridge of a container that lends it read-only. So nobody
    /// looks at a store without locks before it has been tried with them.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether nothing is to be changed.
    ///   - isOnReadOnlyDisk: Whether the file system is read-only.
    static func candidates(isReadOnly: Bool, isOnReadOnlyDisk: Bool) -> [StoreAccess] {
        if isReadOnly { return [.reading, .still] }
        return isOnReadOnlyDisk ? [.still] : [.shared, .alone]
    }

    /// Whether nothing can be written.
    var isReadOnly: Bool { self == .reading || self == .still }

    /// Why a store that was opened for writing can do less than usual; `nil` where it cannot.
    var restriction: String? {
        switch self {
        case .shared, .reading: nil
        case .alone:
            """
            the disk is full: documents are read, writes fail until there is room, and other processes cannot open the store until the next start; \
            free some space
            """
        case .still: "the disk is read-only: documents are read, and every write fails until the next start on a disk that can be written"
        }
    }

    /// The database's name for SQLite.
    ///
    /// - Parameter path: The store's folder.
    func name(in path: String) -> String {
        let file = SQLiteStore.file(in: path)
        switch self {
        case .shared, .reading: return file
        case .alone: return Self.address(file, "vfs=unix-excl")
        case .still: return Self.address(file, Self.hasLog(path) ? "vfs=unix-none" : "immutable=1")
        }
    }

    /// Sets a connection up, before its first access.
    func prepare(_ database: Database, in path: String) throws {
        guard self == .still, Self.hasLog(path) else { return }
        // The log is read with its index in memory.
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
    }

    /// Whether the next way may be tried after a failure of this one: SQLite lacked the room, or the right, to make the log's index.
    func mayYield(after error: any Error, in path: String, isOnReadOnlyDisk: Bool) -> Bool {
        guard let code = (error as? DatabaseError)?.extendedResultCode.rawValue else { return false }
        // An index that nobody has is refused there, and cannot be made anew.
        if isOnReadOnlyDisk { return code & 0xff == SQLITE_CANTOPEN || code & 0xff == SQLITE_READONLY }
        // A whole index is one of processes that are at the store.
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

    /// Bytes of the smallest index of a write-ahead log (SQLite's WAL format, "WAL-Index Format").
    private static let indexSize = 32_768

    /// `SQLITE_IOERR_SHMSIZE`, a macro that Swift does not see.
    private static let cannotSizeIndex: Int32 = SQLITE_IOERR | 19 << 8
}
