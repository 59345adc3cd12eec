import Foundation
import Storage

/// Tells processes that use one store apart from a process that is alone with it.
///
/// SQLite lets several processes work on one file, so this lock keeps nobody out. It only answers the question whether what looks
/// unfinished may be cleaned up, or may be another process's work.
///
/// It also remembers that there has been a store, by its content: an empty database beside it is a lost one, not a new one.
final class StoreLock: Sendable {
    private static let mark = Array("There is a store here.\n".utf8)

    /// -1 on a disk that cannot be written, where no lock file was left.
    private let descriptor: Int32

    /// Whether nobody else had the store open when it was locked.
    let isAlone: Bool

    /// Whether the file system is read-only.
    let isOnReadOnlyDisk: Bool

    /// Whether there was no lock file.
    let isNew: Bool

    /// Whether a store has been opened here before, for writing.
    let hadStore: Bool

    /// Locks the file at `path`.
    ///
    /// - Parameter createsIfMissing: Whether the file is created. Without it the store is only read, and the lock may be missing.
    init(path: String, createsIfMissing: Bool) throws {
        isNew = access(path, F_OK) != 0
        var opened = open(path, (createsIfMissing ? O_RDWR | O_CREAT : O_RDWR) | O_CLOEXEC, 0o644)
        let failure = errno
        isOnReadOnlyDisk = opened < 0 && failure == EROFS
        if opened < 0, isOnReadOnlyDisk || !createsIfMissing { opened = open(path, O_RDONLY | O_CLOEXEC) }
        guard opened >= 0 || isOnReadOnlyDisk || !createsIfMissing else {
            let reason = String(cString: strerror(failure))
            throw StorageError(
                .readOnly, "\(path): cannot be opened for writing (\(reason)). Check the permissions of the folder and its files.")
        }
        descriptor = opened
        var found = [UInt8](repeating: 0, count: Self.mark.count)
        hadStore = opened >= 0 && pread(opened, &found, found.count, 0) == found.count && found == Self.mark
        isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        if !isAlone, flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
            // Somebody is alone with it for a moment, while it opens or closes.
            flock(descriptor, LOCK_SH)
        }
    }

    /// Remembers that there is a store. A disk without room for it does no harm: the next start tries again.
    func markStore() {
        guard !hadStore else { return }
        _ = pwrite(descriptor, Self.mark, Self.mark.count, 0)
    }

    /// Lets others in, after the cleaning.
    func share() {
        flock(descriptor, LOCK_SH)
    }

    /// Lets go of the store.
    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
