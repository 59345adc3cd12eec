import Documents
import Foundation

/// The folders with a database's attachment files, each named after its digest.
struct BlobFolder: Sendable {
    /// File name format of a digest.
    enum Naming {
        /// Couchbase Lite 1.x: the SHA-1 in hexadecimal, in either case.
        case hexadecimal
        /// Couchbase Lite 2.x+: the SHA-1 in base64, with `_` for `/` (c4BlobStore.cc, BlobKeyFromFilename).
        case base64
    }

    private let folders: [String]
    private let naming: Naming

    /// - Parameter folders: Candidate folders in order of likelihood; they need not exist.
    init(_ folders: [String], naming: Naming) {
        self.folders = folders
        self.naming = naming
    }

    /// Whether the attachment files are encrypted, as marked by the file `_encryption`.
    var isEncrypted: Bool {
        folders.contains { FileManager.default.fileExists(atPath: "\($0)/_encryption") }
    }

    /// Reads an attachment in parts.
    ///
    /// - Throws: ``SourceError`` `attachmentMissing`.
    func read(_ attachment: SourceAttachment, label: String, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws {
        let place = "\(label): attachment \"\(attachment.name)\" of \"\(attachment.document)\" \(attachment.revision)"
        guard let digest = attachment.digest else {
            throw SourceError(.attachmentMissing, "\(place) has no digest, so its file cannot be found.")
        }
        for file in files(of: digest) {
            if try await AttachmentFile.read(file, consume) { return }
        }
        throw SourceError(
            .attachmentMissing, "\(place) is not in \(folders.first ?? "any folder") as \(digest). Copy the whole folder of the database.")
    }

    private func files(of digest: AttachmentDigest) -> [String] {
        guard digest.algorithm == .sha1 else { return [] }
        let names: [String]
        switch naming {
        case .hexadecimal:
            let lower = Hex.text(digest.bytes)
            names = [lower.uppercased(), lower]
        case .base64:
            names = [Base64.encode(digest.bytes).replacing("/", with: "_")]
        }
        return folders.flatMap { folder in names.map { "\(folder)/\($0).blob" } }
    }
}

/// A file with an attachment's bytes.
enum AttachmentFile {
    private static let chunk = 1 << 16

    /// Reads a file in parts of bounded size.
    ///
    /// - Returns: `false` if the file does not exist.
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
