import Foundation

/// Files that a command writes for its user, and that must not cost him another one.
enum NewFile {
    /// - Parameter isPrivate: whether only the user may read it.
    /// - Throws: ``NewFileError`` if a file is there already, or this one cannot be written.
    static func write(_ text: String, to path: String, isPrivate: Bool = false) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else {
            let reason = errno == EEXIST ? "it is there already; name another file, or remove it first" : String(cString: strerror(errno))
            throw NewFileError(message: "\(path) cannot be written: \(reason)")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        } catch {
            throw NewFileError(message: "\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
