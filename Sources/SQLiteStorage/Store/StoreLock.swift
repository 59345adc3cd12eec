import Foundation
import Storage

/// A lock file that tells a process whether it is the only one with the store open.
///
/// SQLite lets several processes use one file, so this lock excludes none of them. It only decides whether unfinished attachments can be removed,
/// or may be another process's work.
///
/// The content of the lock file also records that a store exists: an empty database beside it is a lost store, not a new one.
final class StoreLock: Sendable {
    private static let mark = Array("There is a store here.\n".utf8)

    /// -1 if there is no lock file and none can be created.
    private let descriptor: Int32

    /// Whether no other process had the store open when it was locked.
    let isAlone: Bool

    /// Whether the file system is read-only.
    let isOnReadOnlyDisk: Bool

    /// Whether the lock file did not exist.
    let isNew: Bool

    /// Whether a store was opened here for writing before.
    let hadStore: Bool

    /// Locks the file at `path`.
    ///
    /// - Parameter createsIfMissing: Whether to create the file. If not, the store is only read, and the lock may be missing.
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
            // Another process holds it exclusively for a moment, while it opens or closes.
            flock(descriptor, LOCK_SH)
        }
    }

    /// Records that a store exists. A failure on a full disk is harmless: the next start tries again.
    func markStore() {
        guard !hadStore else { return }
        _ = pwrite(descriptor, Self.mark, Self.mark.count, 0)
    }

    /// Makes the lock shared, after the removal of unfinished attachments.
    func share() {
        flock(descriptor, LOCK_SH)
    }

    /// Releases the lock.
    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
