import Foundation
import GRDB
import GRDBSQLite
import Storage

extension StorageError {
    /// The failure for a result code of SQLite.
    ///
    /// - Parameters:
    ///   - result: The result code, plain or extended.
    ///   - detail: SQLite's own message.
    ///   - path: The store's folder.
    init(result: Int32, detail: String, path: String, cause: (any Error)? = nil) {
        let detail = "\(detail), SQLite code \(result)"
        switch result & 0xff {
        case SQLITE_FULL:
            let advice = "This write was undone, and the stored data is unchanged. Free some space and try again."
            self.init(.full, "\(path): the disk is full (\(detail)). \(advice)", cause: cause)
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, "\(path): another process holds the store (\(detail)). Wait for it or stop it, then try again.", cause: cause)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            self.init(
                .readOnly, "\(path): the store cannot be written (\(detail)). Check the permissions of the folder and its files.",
                cause: cause)
        case SQLITE_CANTOPEN:
            self.init(.inputOutput, "\(path): the store cannot be opened (\(detail)). Check the path and its permissions.", cause: cause)
        case SQLITE_NOTADB:
            self.init(
                .notAStore, "\(path): store.sqlite is not a SQLite database (\(detail)). Check the path, or restore a backup.", cause: cause
            )
        case SQLITE_CORRUPT:
            self.init(
                .corrupt, "\(path): the store is damaged (\(detail)). Run `dualgauge check` on it, and restore a backup.", cause: cause)
        case SQLITE_IOERR, SQLITE_PROTOCOL:
            self.init(.inputOutput, "\(path): reading or writing failed (\(detail)). Check the disk and the system's log.", cause: cause)
        case SQLITE_CONSTRAINT, SQLITE_MISMATCH:
            self.init(.conflict, "\(path): the new data contradicts the stored data (\(detail)).", cause: cause)
        case SQLITE_TOOBIG:
            self.init(.invalidArgument, "\(path): a value is too large to be stored (\(detail)).", cause: cause)
        default:
            self.init(.unexpected, "\(path): SQLite refused (\(detail)). This is a fault of the program; please report it.", cause: cause)
        }
    }

    /// The failure for an underlying error. A `StorageError` is passed on unchanged.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StorageError:
            self = error
        case let error as DatabaseError:
            self.init(result: error.extendedResultCode.rawValue, detail: error.message ?? "no message", path: path, cause: error)
        case let error as CocoaError where error.code == .fileWriteOutOfSpace:
            self.init(.full, "\(path): the disk is full. Free some space.", cause: error)
        default:
            self.init(.inputOutput, "\(path): \(error)", cause: error)
        }
    }
}
