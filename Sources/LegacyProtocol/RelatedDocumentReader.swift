package import Documents
package import Gateway
package import HTTP
import NIOCore
import Storage

/// Reads a `multipart/related` body as it comes: a document, then the attachments that follow it, which are stored as they come.
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

    /// The digests of the entries that follow, by name.
    private var announced: [ExactString: AttachmentDigest] = [:]

    /// The digest of the part that is being read, where its name tells which entry it belongs to.
    private var expected: AttachmentDigest?

    /// The document, once its part has been read.
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

    /// Takes the next bytes. After an error, call ``abandon()``.
    package mutating func consume(_ bytes: ArraySlice<UInt8>) async throws {
        for event in try parser.consume(bytes) { try await take(event) }
    }

    /// The document and its attachments, when the body has ended.
    package mutating func finish() throws -> (document: ParsedDocument, attachments: [ReceivedAttachment]) {
        try parser.finish()
        guard let document else { throw LegacyError(.badRequest, "The multipart body has no part with the document") }
        return (document, attachments)
    }

    /// Forgets an attachment that has not come in whole.
    package mutating func abandon() async {
        try? await upload?.abandon()
        upload = nil
    }

    private mutating func take(_ event: MultipartEvent) async throws {
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
        guard let upload, let part else { return try takeDocument() }
        let record = try await upload.finish()
        self.upload = nil
        let md5 = expected?.algorithm == .md5 ? expected : md5?.finish()
        attachments.append(ReceivedAttachment(filename: part.filename, length: record.length, sha1: record.digest, md5: md5))
    }

    private mutating func takeDocument() throws {
        let text = try decoded(json, jsonHeaders?.contentEncoding)
        json = []
        let sizes = DocumentLimits(maximumSize: keyspace.database.configuration.limits.documentSize, maximumDepth: limits.depth)
        let document = try ParsedDocument(text, policy: policy, limits: sizes)
        for entry in try document.attachments.map({ try AttachmentSet($0).entries }) ?? [] where entry.source == .follows {
            announced[ExactString(entry.name)] = entry.digest
        }
        self.document = document
    }

    /// Couchbase Lite for iOS, and Sync Gateway if asked, compress the document's part.
    private func decoded(_ bytes: [UInt8], _ encoding: String?) throws -> [UInt8] {
        switch encoding {
        case nil: return bytes
        case "gzip": return try Gunzip.decode(bytes, limit: limits.documentPartSize)
        default: throw LegacyError(.unsupportedType, "Unsupported Content-Encoding; use gzip")
        }
    }

    /// CouchDB names attachments by MD5.
    private var needsMD5: Bool { announced.values.contains { $0.algorithm == .md5 } }
}

/// An attachment that came in as a part of a multipart body, or in base64 within a long one, and has been stored.
package struct ReceivedAttachment: Sendable, Equatable {
    /// The part's file name, if it has one; the name of the attachment if it was inline.
    let filename: String?
    let length: Int64
    let sha1: AttachmentDigest

    /// Computed where an entry has a digest of that kind.
    let md5: AttachmentDigest?

    /// Whether its entry had its data.
    var wasInline = false

    package init(filename: String?, length: Int64, sha1: AttachmentDigest, md5: AttachmentDigest?, wasInline: Bool = false) {
        self.filename = filename
        self.length = length
        self.sha1 = sha1
        self.md5 = md5
        self.wasInline = wasInline
    }

    /// Its digest by the function of another one.
    func digest(like other: AttachmentDigest) -> AttachmentDigest? {
        other.algorithm == .sha1 ? sha1 : md5
    }
}

/// Decompresses what stands compressed within a body.
package enum Gunzip {
    /// - Throws: ``LegacyError`` if the bytes are damaged, cut off, or hold more than `limit` bytes.
    package static func decode(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
        do {
            let inflater = try Inflater(maximumSize: limit)
            let output = try inflater.write(ByteBuffer(bytes: bytes))
            try inflater.finish()
            return Array(output.readableBytesView)
        } catch let error as CompressionError {
            throw LegacyError(error.code == .tooLarge ? .tooLarge : .badRequest, error.reason, cause: error)
        }
    }
}
