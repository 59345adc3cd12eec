package import Documents
package import Gateway
package import HTTP
import NIOCore
import Storage

/// Reads a `multipart/related` body as it arrives: a document, then its attachments, which are stored as they arrive.
package struct RelatedDocumentReader {
    private let keyspace: Keyspace
    private let limits: LegacyLimits
    private let policy: DocumentPolicy
    private var parser: MultipartParser
    private var json: [UInt8] = []
    private var jsonHeaders: PartHeaders?
    private var part: PartHeaders?
    private var upload: AttachmentUpload?
    private var md5: AttachmentHasher?

    /// The digests of the entries with `follows`, by name.
    private var announced: [ExactString: AttachmentDigest] = [:]

    /// The digest of the current part, if its name identifies the entry.
    private var expected: AttachmentDigest?

    /// The document, after its part was read.
    private(set) var document: ParsedDocument?
    private(set) var attachments: [ReceivedAttachment] = []

    /// - Throws: `MultipartError` if the type has no usable boundary.
    package init(contentType: MediaType?, keyspace: Keyspace, limits: LegacyLimits, policy: DocumentPolicy) throws {
        self.keyspace = keyspace
        self.limits = limits
        self.policy = policy
        parser = MultipartParser(
            boundary: try MultipartBoundary(contentType: contentType), limits: MultipartLimits(parts: limits.attachments + 1))
    }

    /// Consumes the next bytes. After an error, call ``abandon()``.
    package mutating func consume(_ bytes: ArraySlice<UInt8>) async throws {
        for event in try parser.consume(bytes) { try await handle(event) }
    }

    /// Returns the document and its attachments after the end of the body.
    package mutating func finish() throws -> (document: ParsedDocument, attachments: [ReceivedAttachment]) {
        try parser.finish()
        guard let document else { throw LegacyError(.badRequest, "The multipart body has no part with the document") }
        return (document, attachments)
    }

    /// Discards an attachment that was not received completely.
    package mutating func abandon() async {
        try? await upload?.abandon()
        upload = nil
    }

    private mutating func handle(_ event: MultipartEvent) async throws {
        switch event {
        case .partBegan(let headers): try begin(headers)
        case .partBody(let bytes): try await append(bytes)
        case .partEnded: try await end()
        case .finished: break
        }
    }

    private mutating func begin(_ headers: PartHeaders) throws {
        guard document != nil else {
            // Only the first part may be the document, and it must be JSON.
            guard headers.contentType?.isJSON ?? true else {
                throw LegacyError(.badRequest, "The first part of the multipart body must be the document, in application/json")
            }
            jsonHeaders = headers
            return
        }
        part = headers
        expected = headers.filename.flatMap { announced[ExactString($0)] }
        upload = keyspace.receiveAttachment(expecting: expected)
        md5 = expected == nil && needsMD5 ? AttachmentHasher(.md5) : nil
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) async throws {
        guard let upload else {
            guard json.count + bytes.count <= limits.documentPartSize else { throw LegacyError(.tooLarge, "Document too large!") }
            json += bytes
            return
        }
        md5?.update(bytes)
        try await upload.append(bytes)
    }

    private mutating func end() async throws {
        guard let upload, let part else { return try readDocument() }
        let record = try await upload.finish()
        self.upload = nil
        let md5 = expected?.algorithm == .md5 ? expected : md5?.finish()
        attachments.append(ReceivedAttachment(filename: part.filename, length: record.length, sha1: record.digest, md5: md5))
    }

    private mutating func readDocument() throws {
        let text = try decoded(json, jsonHeaders?.contentEncoding)
        json = []
        let sizes = DocumentLimits(maximumSize: keyspace.database.configuration.limits.documentSize, maximumDepth: limits.depth)
        let document = try ParsedDocument(text, policy: policy, limits: sizes)
        for entry in try document.attachments.map({ try AttachmentSet($0).entries }) ?? [] where entry.source == .follows {
            announced[ExactString(entry.name)] = entry.digest
        }
        self.document = document
    }

    /// Couchbase Lite for iOS compresses the document's part; Sync Gateway does so on request.
    private func decoded(_ bytes: [UInt8], _ encoding: String?) throws -> [UInt8] {
        switch encoding {
        case nil: return bytes
        case "gzip": return try Gunzip.decode(bytes, limit: limits.documentPartSize)
        default: throw LegacyError(.unsupportedType, "Unsupported Content-Encoding; use gzip")
        }
    }

    /// CouchDB identifies attachments by MD5.
    private var needsMD5: Bool { announced.values.contains { $0.algorithm == .md5 } }
}

/// A stored attachment that was received as a part of a multipart body, or in base64 within a large one.
package struct ReceivedAttachment: Sendable, Equatable {
    /// The file name of the part, if any; for an inline attachment its name.
    let filename: String?
    let length: Int64
    let sha1: AttachmentDigest

    /// The MD5 digest, computed if an entry has a digest of that kind.
    let md5: AttachmentDigest?

    /// Whether the attachment was inline.
    var wasInline = false

    package init(filename: String?, length: Int64, sha1: AttachmentDigest, md5: AttachmentDigest?, wasInline: Bool = false) {
        self.filename = filename
        self.length = length
        self.sha1 = sha1
        self.md5 = md5
        self.wasInline = wasInline
    }

    /// The digest by the same algorithm as another one.
    func digest(like other: AttachmentDigest) -> AttachmentDigest? {
        other.algorithm == .sha1 ? sha1 : md5
    }
}

/// Decompresses gzip data.
package enum Gunzip {
    /// - Throws: ``LegacyError`` if the data are damaged, truncated, or have more than `limit` bytes.
    package static func decode(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
        do {
            let inflater = try Inflater(maximumSize: limit)
            let output = try inflater.write(ByteBuffer(bytes: bytes))
            try inflater.finish()
            return Array(output.readableBytesView)
        } catch let error as CompressionError {
            throw LegacyError(code(of: error), error.reason, cause: error)
        }
    }

    private static func code(of error: CompressionError) -> LegacyError.Code {
        switch error.code {
        case .tooLarge: .tooLarge
        case .corrupt, .truncated, .outOfMemory: .badRequest
        }
    }
}
