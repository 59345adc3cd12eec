import Foundation

/// A file of an attachment's bytes.
enum AttachmentFile {
    private static let chunk = 1 << 16

    /// Reads a file in parts of bounded size.
    ///
    /// - Returns: false if there is no such file.
    static func read(_ path: String, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        while let data = try file.read(upToCount: chunk), !data.isEmpty {
            try await consume(Array(data)[...])
        }
        return true
    }
}
