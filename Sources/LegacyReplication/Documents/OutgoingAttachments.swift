import Documents
import Gateway
import Storage

/// How each attachment of a revision is sent: as a stub, within the document, or behind it.
struct OutgoingAttachments: Sendable {
    /// Where bodies may stand.
    enum Form: Sendable, Equatable {
        /// In base64 within the document: for clients that read JSON only.
        case inline
        /// Large ones in parts behind the document, small ones within.
        case parts
    }

    /// The value of `_attachments`; `nil` if there are none.
    let json: [UInt8]?

    /// Those that follow, in the order of the document.
    let following: [(metadata: AttachmentMetadata, record: AttachmentRecord)]

    /// Whether any bytes are sent, within the document or behind it.
    let hasBodies: Bool

    /// Decides for a revision; `nil` if it has no attachments, or none whose bytes are wanted: then the stored stubs are sent.
    init?(of content: RevisionContent, _ options: ReadOptions, form: Form, in keyspace: Keyspace, limits: LegacyLimits) async throws {
        guard options.includesAttachments, let stored = content.body.attachments else { return nil }
        let set = try AttachmentSet(stored)
        let known = AttachmentSet.generation(since: options.attachmentsSince, history: content.history)
        var spellings: [ExactString: AttachmentSet.Spelling] = [:]
        var following: [(metadata: AttachmentMetadata, record: AttachmentRecord)] = []
        var inlineSize: Int64 = 0
        for entry in set.missing(since: known) {
            guard let digest = entry.digest, let record = try await keyspace.attachment(digest) else { continue }
            // CouchDB takes what stands within a document for the content: what is compressed has to follow, where it can be told as such.
            guard form == .inline || record.length <= limits.inlineAttachmentSize && entry.encoding == nil else {
                spellings[ExactString(entry.name)] = .follows
                following.append((entry, record))
                continue
            }
            inlineSize += record.length
            guard inlineSize <= limits.inlineTotalSize else {
                throw LegacyError(
                    .tooLarge, "The attachments of \(content.id) are too large for JSON: ask with Accept: multipart/related, or one by one")
            }
            spellings[ExactString(entry.name)] = .data(try await Self.bytes(of: record, in: keyspace, limits))
        }
        var json: [UInt8] = []
        set.append(to: &json) { spellings[ExactString($0.name)] ?? .stub }
        self.json = json
        self.following = following
        hasBodies = !spellings.isEmpty
    }

    /// All of them as stubs, for an answer that has to be multipart although it brings none.
    init(stubsOf content: RevisionContent) {
        json = content.body.attachments
        following = []
        hasBodies = false
    }

    private static func bytes(of record: AttachmentRecord, in keyspace: Keyspace, _ limits: LegacyLimits) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while Int64(bytes.count) < record.length {
            let piece = try await keyspace.bytes(of: record, from: Int64(bytes.count), count: limits.chunkSize)
            guard !piece.isEmpty else { throw LegacyError(.internalError, "The attachment \(record.digest) ends too early") }
            bytes += piece
        }
        return bytes
    }
}
