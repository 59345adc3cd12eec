import Foundation

/// Files that a command reads and writes for its user.
enum UserFile {
    /// Writes a new file. One that is there is left alone: it must not cost the user what he had.
    ///
    /// - Parameter isPrivate: whether only the user may read it.
    /// - Throws: ``UserFileError`` if a file is there already, or this one cannot be written.
    static func write(_ text: String, to path: String, isPrivate: Bool = false) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else {
            let reason = errno == EEXIST ? "it is there already; name another file, or remove it first" : String(cString: strerror(errno))
            throw UserFileError(message: "\(path) cannot be written: \(reason)")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        } catch {
            throw UserFileError(message: "\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// - Parameter maximum: of bytes; one more is read, so that the caller can tell.
    /// - Throws: ``UserFileError`` if it cannot be read.
    static func read(_ path: String, maximum: Int) throws -> [UInt8] {
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            return Array(try handle.read(upToCount: maximum + 1) ?? Data())
        } catch {
            throw UserFileError(message: "\(path) cannot be read; is the path right, and may it be read?")
        }
    }
}
