import Foundation

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
