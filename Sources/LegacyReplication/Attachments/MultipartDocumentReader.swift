import Documents
import HTTP
import HummingbirdCore
import NIOCore

/// Reads a request whose body is a document with the attachments that follow it.
struct MultipartDocumentReader {
    let call: LegacyCall
    private var reader: RelatedDocumentReader

    /// - Throws: `MultipartError` if the type has no usable boundary.
    init(_ call: LegacyCall) throws {
        self.call = call
        reader = try RelatedDocumentReader(contentType: call.contentType, keyspace: call.keyspace, limits: call.limits, policy: .legacy)
    }

    /// Reads the whole body.
    ///
    /// - Returns: the document and its attachments.
    mutating func read() async throws -> (document: ParsedDocument, attachments: [ReceivedAttachment]) {
        do {
            for try await chunk in call.request.body { try await reader.consume(Array(chunk.readableBytesView)[...]) }
            return try reader.finish()
        } catch {
            await reader.abandon()
            throw error
        }
    }
}
