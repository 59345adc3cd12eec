import Documents
import Gateway
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// Reads the body of `_bulk_docs` as it arrives, and stores its large attachments meanwhile.
///
/// PouchDB sends the attachments of up to 100 documents in one body, and repeats the same request if it is refused. So the size of each document
/// and each attachment is limited, but not the size of all attachments together.
struct BulkDocsReader {
    private let call: LegacyCall
    private var incoming: IncomingAttachment?
    private var received: [Int: [ReceivedAttachment]] = [:]
    private var failures: [Int: LegacyError] = [:]

    /// An attachment that is being received.
    private struct IncomingAttachment {
        let document: Int
        let name: String
        let upload: AttachmentUpload
        var base64 = Base64Stream()
        var md5 = AttachmentHasher(.md5)
        /// Why the attachment cannot be used; the rest of its data is ignored.
        var failure: LegacyError?
    }

    init(_ call: LegacyCall) {
        self.call = call
    }

    /// - Throws: ``LegacyError`` for errors of the whole request. An error of one document is stored in its item.
    mutating func read() async throws -> BulkDocsRequest {
        do {
            let text = try await readText()
            let sizes = DocumentLimits(
                maximumSize: call.keyspace.database.configuration.limits.documentSize, maximumDepth: call.limits.depth)
            var request = try BulkDocsRequest(text, limits: call.limits, documentLimits: sizes)
            request.received = received
            request.fail(failures)
            return request
        } catch {
            try? await incoming?.upload.abandon()
            throw error
        }
    }

    private mutating func readText() async throws -> [UInt8] {
        try call.requireJSON()
        let streamed = min(call.limits.streamedBodySize, call.limits.bodySize / 2)
        var start: [UInt8] = []
        var filter: InlineDataFilter?
        for try await chunk in call.request.body {
            if filter == nil, start.count + chunk.readableBytes <= streamed {
                try call.hold(chunk.readableBytes, after: start.count, limit: call.limits.bodySize)
                start.append(contentsOf: chunk.readableBytesView)
                continue
            }
            var open = filter ?? InlineDataFilter(threshold: call.limits.bufferedAttachmentSize)
            filter = nil
            for event in open.consume(start[...]) + open.consume(Array(chunk.readableBytesView)[...]) { try await handle(event) }
            try call.hold(0, after: open.text.count, limit: call.limits.bodySize)
            start = []
            filter = open
        }
        return filter?.text ?? start
    }

    private mutating func handle(_ event: InlineDataFilter.Event) async throws {
        switch event {
        case .began(let document, let name):
            guard received[document, default: []].count < call.limits.attachments else {
                throw LegacyError(.tooLarge, "A document has more than \(call.limits.attachments) attachments")
            }
            incoming = IncomingAttachment(document: document, name: name, upload: call.keyspace.receiveAttachment())
        case .data(let text):
            try await append { (stream) throws(DocumentError) in try stream.append(text) }
        case .ended:
            try await append { (stream) throws(DocumentError) in try stream.finish() }
            try await end()
        }
    }

    private mutating func append(_ decode: (inout Base64Stream) throws(DocumentError) -> [UInt8]) async throws {
        guard var attachment = incoming, attachment.failure == nil else { return }
        do {
            let bytes = try decode(&attachment.base64)
            attachment.md5.update(bytes)
            try await attachment.upload.append(bytes)
        } catch {
            attachment.failure = try BulkDocsWriter.rowError(error)
            try await attachment.upload.abandon()
        }
        incoming = attachment
    }

    private mutating func end() async throws {
        guard let attachment = incoming.take() else { return }
        if let failure = attachment.failure {
            failures[attachment.document] = failure
            // The document fails with this error, so its entry needs no attachment.
            return
        }
        let record = try await attachment.upload.finish()
        received[attachment.document, default: []].append(
            ReceivedAttachment(
                filename: attachment.name, length: record.length, sha1: record.digest, md5: attachment.md5.finish(), wasInline: true))
    }
}
