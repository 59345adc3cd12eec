import ArgumentParser
import Foundation

/// Reads and writes files that the user names.
enum UserFile {
    /// Writes a text into a new file.
    ///
    /// - Parameter isPrivate: whether only the user can read the file.
    /// - Throws: ``UserFileError`` if the file exists or cannot be written.
    static func write(_ text: String, to path: String, isPrivate: Bool = false) throws {
        let file = try create(path, isPrivate: isPrivate)
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        } catch {
            discard(file, at: path)
            throw UserFileError(message: "\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Creates an empty file. Fails if the file exists, so that no contents are overwritten.
    static func create(_ path: String, isPrivate: Bool = false) throws -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else {
            let reason =
                errno == EEXIST ? "the file exists already; name another file, or remove it first" : String(cString: strerror(errno))
            throw UserFileError(message: "\(path) cannot be written: \(reason)")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Removes an incomplete file that ``create(_:isPrivate:)`` created, so that the user can repeat the command.
    static func discard(_ file: FileHandle, at path: String) {
        try? file.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// - Parameter maximum: the size limit in bytes. One more byte is read, so that the caller can detect a larger file.
    /// - Throws: ``UserFileError`` if the file cannot be read.
    static func read(_ path: String, maximum: Int) throws -> [UInt8] {
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            return Array(try handle.read(upToCount: maximum + 1) ?? Data())
        } catch {
            throw UserFileError(message: "\(path) cannot be read; check the path and its permissions")
        }
    }
}

/// A user's file that cannot be read or written.
struct UserFileError: Error {
    let message: String
}

/// Reads the files of options.
enum OptionFile {
    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("\(path) cannot be read; check the path and its permissions")
        }
        return Array(data)
    }
}
