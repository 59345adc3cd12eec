import Foundation

/// Tells processes that use one store apart from a process that is alone with it.
///
/// SQLite lets several processes work on one file, so this lock keeps nobody out. It only answers the question whether what looks
/// unfinished may be cleaned up, or may be another process's work.
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// Whether nobody else had the store open when it was locked.
    let isAlone: Bool

    /// Locks the file at `path`, which is created if needed.
    init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw StorageError(
                .readOnly, "\(path): cannot be opened for writing (\(reason)). Check the permissions of the folder and its files.")
        }
        isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        if !isAlone, flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
            // Somebody is alone with it for a moment, while it opens or closes.
            flock(descriptor, LOCK_SH)
        }
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
        close(descriptor)
    }
}
