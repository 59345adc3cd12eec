package import Documents
package import Gateway
import HTTP
package import Storage

/// How each attachment of a revision is sent: as a stub, inline in the document, or after it.
package struct OutgoingAttachments: Sendable {
    /// Where attachment bytes are allowed.
    package enum Form: Sendable, Equatable {
        /// In base64 within the document: for clients that read JSON only.
        case inline
        /// Large attachments in parts after the document, small ones inline.
        case parts
    }

    /// An inline attachment whose bytes are read while the document is sent.
    private struct Insertion: Sendable {
        /// The offset of its base64 in the value of `_attachments`.
        let offset: Int
        let record: AttachmentRecord
    }

    /// The value of `_attachments`, without insertions; `nil` if there are no attachments.
    package let json: [UInt8]?
    private let insertions: [Insertion]

    /// The attachments after the document, in the document's order.
    package let following: [(metadata: AttachmentMetadata, record: AttachmentRecord)]

    /// Whether attachment bytes are sent, inline or after the document.
    package let hasBodies: Bool

    /// Determines the form of a revision's attachments; `nil` if the stored stubs are sent unchanged: no bytes were requested, or there are no
    /// attachments.
    ///
    /// - Parameter atHand: Whether ``json`` must contain all inline bytes. Otherwise larger attachments are read while they are sent
    ///   (``append(_:to:)``), without a limit.
    /// - Throws: ``LegacyError`` `tooLarge` if the inline bytes in ``json`` exceed ``LegacyLimits/inlineTotalSize``.
    package init?(
        of content: RevisionContent, _ options: ReadOptions, form: Form, atHand: Bool = false, in keyspace: Keyspace, limits: LegacyLimits
    ) async throws {
        guard options.includesAttachments || options.leavesOutMissing, let stored = content.body.attachments else { return nil }
        var set = try AttachmentSet(stored)
        let records = try await Self.records(of: &set, content, options, keyspace)
        guard options.includesAttachments else {
            json = set.isEmpty ? nil : set.stubs()
            (insertions, following, hasBodies) = ([], [], false)
            return
        }
        let known = AttachmentSet.generation(since: options.attachmentsSince, history: content.history)
        var spellings: [ExactString: AttachmentSet.Spelling] = [:]
        var following: [(metadata: AttachmentMetadata, record: AttachmentRecord)] = []
        var inlineSize: Int64 = 0
        for entry in set.missing(since: known) {
            guard let record = records[ExactString(entry.name)] else { continue }
            let isSmall = record.length <= limits.inlineAttachmentSize
            // CouchDB stores inline bytes as uncompressed content. A compressed attachment has to follow, where its encoding can be declared.
            let fits = isSmall || Self.isUnfitForHeader(entry.name) && (!atHand || inlineSize + record.length <= limits.inlineTotalSize)
            guard form == .inline || fits && entry.encoding == nil else {
                spellings[ExactString(entry.name)] = .follows
                following.append((entry, record))
                continue
            }
            guard atHand || isSmall else {
                spellings[ExactString(entry.name)] = .inserted
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
        var inserted: [AttachmentRecord] = []
        let offsets = set.append(to: &json) { entry in
            let name = ExactString(entry.name)
            let spelling = spellings[name] ?? .stub
            if spelling == .inserted, let record = records[name] { inserted.append(record) }
            return spelling
        }
        self.json = set.isEmpty ? nil : json
        self.following = following
        insertions = zip(offsets, inserted).map { Insertion(offset: $0, record: $1) }
        hasBodies = !spellings.isEmpty
    }

    /// All attachments as stubs, for a response that has to be multipart without attachment bytes.
    package init(stubsOf content: RevisionContent) {
        json = content.body.attachments
        (insertions, following, hasBodies) = ([], [], false)
    }

    /// Appends a document with its inline attachments.
    package func append(_ document: DocumentRenderer, to body: inout SegmentedBody) {
        guard let json, !insertions.isEmpty else {
            var document = document
            document.attachments = json
            return body.append { document.append(to: &$0) }
        }
        body.append { bytes in
            document.appendBeforeAttachments(to: &bytes)
            JSONWriter.append(raw: ",\"_attachments\":", to: &bytes)
        }
        var start = 0
        for insertion in insertions {
            body.append { $0 += json[start..<insertion.offset] }
            body.append(base64: insertion.record)
            start = insertion.offset
        }
        body.append { bytes in
            bytes += json[start...]
            document.appendAfterAttachments(to: &bytes)
        }
    }

    /// Finds the stored attachments, and handles those whose bytes are missing.
    ///
    /// Couchbase Lite 1.x refuses a revision with a stub that is older than the revision and whose bytes it lacks. If the stub is as old as the
    /// revision and has a digest, Couchbase Lite expects to fetch the bytes later.
    private static func records(
        of set: inout AttachmentSet, _ content: RevisionContent, _ options: ReadOptions, _ keyspace: Keyspace
    ) async throws -> [ExactString: AttachmentRecord] {
        let known = options.includesAttachments ? AttachmentSet.generation(since: options.attachmentsSince, history: content.history) : 0
        var entries: [AttachmentMetadata] = []
        var records: [ExactString: AttachmentRecord] = [:]
        for entry in set.entries {
            if let digest = entry.digest, let record = try await keyspace.attachment(digest) {
                records[ExactString(entry.name)] = record
                entries.append(entry)
            } else if !options.leavesOutMissing, entry.digest != nil {
                var stub = entry
                if entry.revpos.map({ $0 > known }) ?? true { stub.revpos = content.revision.generation }
                entries.append(stub)
            }
        }
        set.entries = entries
        return records
    }

    /// Whether a name cannot be sent unchanged in a header. Couchbase Lite for iOS finds a body by the name of its part, and cancels all
    /// documents of the response if it finds none (CBLMultipartDocumentReader.m, CBLBulkDownloader.m). It accepts inline attachments of any
    /// length.
    private static func isUnfitForHeader(_ name: String) -> Bool {
        name.utf8.contains { $0 < 0x20 || $0 == 0x7f }
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

/// A revision as `multipart/related`: the document, then its attachments.
package struct RelatedDocument {
    let content: RevisionContent
    let options: ReadOptions
    let attachments: OutgoingAttachments
    let boundary = MultipartBoundary.random()

    package init(content: RevisionContent, options: ReadOptions, attachments: OutgoingAttachments) {
        self.content = content
        self.options = options
        self.attachments = attachments
    }

    package var contentType: String { boundary.contentType("related") }

    package func append(to body: inout SegmentedBody) {
        var writer = MultipartWriter(boundary: boundary)
        body.append { writer.beginPart(.json(), to: &$0) }
        attachments.append(content.renderer(options), to: &body)
        for (metadata, record) in attachments.following {
            let encoding = metadata.encoding == "gzip" ? "gzip" : nil
            let headers = PartHeaders.attachment(filename: metadata.name, contentType: metadata.contentType, encoding: encoding)
            body.append { writer.beginPart(headers, to: &$0) }
            body.append(record)
        }
        body.append { writer.finish(to: &$0) }
    }
}
