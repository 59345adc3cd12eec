import ArgumentParser
import Foundation

/// Files that a command reads and writes for its user.
enum UserFile {
    /// Writes a new file with one text.
    ///
    /// - Parameter isPrivate: whether only the user may read it.
    /// - Throws: ``UserFileError`` if a file is there already, or this one cannot be written.
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

    /// Makes a new, empty file. A file that exists is left alone: the command must not cost the user its contents.
    static func create(_ path: String, isPrivate: Bool = false) throws -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else {
            let reason = errno == EEXIST ? "it is there already; name another file, or remove it first" : String(cString: strerror(errno))
            throw UserFileError(message: "\(path) cannot be written: \(reason)")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Removes a file that ``create(_:isPrivate:)`` made and that is not complete, so that the command can be repeated.
    static func discard(_ file: FileHandle, at path: String) {
        try? file.close()
        try? FileManager.default.removeItem(atPath: path)
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

/// A file that a command was to read or write for its user, and could not.
struct UserFileError: Error {
    let message: String
}

/// Files that options name.
enum OptionFile {
    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("\(path) cannot be read; is the path right, and may it be read?")
        }
        return Array(data)
    }
}
