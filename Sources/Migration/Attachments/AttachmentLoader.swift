import Documents
import Gateway
import Storage

/// Receives an attachment's bytes: buffers a small attachment in memory and streams a large one into the store.
actor AttachmentLoader {
    struct Loaded: Sendable {
        /// The SHA-1 of the bytes.
        let digest: AttachmentDigest
        let length: Int

        /// The buffered bytes; `nil` if they were streamed into the store.
        let held: ImportedAttachment?
    }

    private let database: Database
    private let expected: AttachmentDigest?

    /// Largest number of bytes to buffer.
    private let holds: Int
    private var bytes: [UInt8] = []
    private var upload: AttachmentUpload?

    init(database: Database, expected: AttachmentDigest?, holds: Int) {
        self.database = database
        self.expected = expected
        self.holds = holds
    }

    func append(_ part: ArraySlice<UInt8>) async throws {
        if let upload { return try await upload.append(part) }
        bytes += part
        guard bytes.count > holds else { return }
        let upload = database.unified.receiveAttachment(expecting: expected)
        self.upload = upload
        let first = bytes
        bytes = []
        try await upload.append(first)
    }

    /// - Throws: ``DocumentError`` or ``GatewayError`` if the bytes do not match the expected digest.
    func finish() async throws -> Loaded {
        if let upload {
            let record = try await upload.finish()
            self.upload = nil
            return Loaded(digest: record.digest, length: Int(record.length), held: nil)
        }
        let digest = AttachmentDigest.sha1(of: bytes)
        let computed = expected?.algorithm == .md5 ? AttachmentDigest.md5(of: bytes) : digest
        try expected?.verify(computed)
        let held = ImportedAttachment(digest: digest, alias: computed == digest ? nil : computed, bytes: bytes)
        return Loaded(digest: digest, length: bytes.count, held: held)
    }

    func abandon() async throws {
        try await upload?.abandon()
        upload = nil
    }
}

/// Error of an attachment that prevents its document from being written.
struct AttachmentFault: Error {
    let reason: String

    /// Whether the source lacks the bytes entirely.
    let isMissing: Bool

    init(reason: String) {
        self.reason = reason
        isMissing = false
    }

    /// Wraps an error that concerns one attachment as a fault of its document.
    ///
    /// - Throws: The error itself if it concerns the source as a whole; it ends the run.
    init(_ error: any Error, _ entry: AttachmentMetadata, _ document: SourceDocument) throws {
        isMissing = (error as? SourceError)?.code == .attachmentMissing
        let what = "attachment \"\(entry.name)\" of \(document.id)"
        switch error {
        case let error as SourceError where Self.isOfAttachment(error.code): reason = "\(what): \(error)"
        case let error as DocumentError: reason = "\(what): \(error.message)"
        case let error as GatewayError where Self.isOfAttachment(error.code): reason = "\(what): \(error.message)"
        default: throw error
        }
    }

    private static func isOfAttachment(_ code: SourceError.Code) -> Bool {
        switch code {
        case .attachmentMissing, .damaged, .unsupported, .encrypted: true
        case .unreachable, .unauthorized, .noDatabase, .changed: false
        }
    }

    private static func isOfAttachment(_ code: GatewayError.Code) -> Bool {
        switch code {
        case .tooLarge, .badRequest, .digestMismatch: true
        case .unauthorized, .forbidden, .loginWanted, .notFound, .deleted, .conflict, .missingAttachment, .configuration, .unavailable,
            .script:
            false
        }
    }
}
