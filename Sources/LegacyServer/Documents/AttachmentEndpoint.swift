import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// `/{db}/{id}/{name}`: one attachment's bytes. A name may contain slashes.
enum AttachmentEndpoint {
    static func get(_ call: LegacyCall) async throws -> Response {
        let request: RevisionRequest = try call.readRevision.map { .revision($0) } ?? .current
        let (metadata, record) = try await call.keyspace.attachment(named: call.attachmentName, of: call.documentID, revision: request)
        let tag = "\"\(metadata.digest ?? record.digest)\""
        if let wanted = call.request.headers[.ifMatch], wanted != "*", wanted != tag {
            throw LegacyError(.alreadyExists, "The attachment has changed: it is \(tag) now")
        }
        // A client that resumes a download of other bytes gets all bytes from the beginning.
        let isWhole = call.request.headers[.ifRange].map { $0 != tag } ?? false
        let range = ByteRange(isWhole ? nil : call.request.headers[.range], length: record.length)
        var response: Response
        switch range {
        case .full: response = body(of: record, 0..<record.length, .ok, call)
        case .partial(let part): response = body(of: record, part, .partialContent, call)
        case .unsatisfiable: response = LegacyError(.rangeNotSatisfiable, "").response
        }
        response.headers[.contentRange] = range.contentRange(length: record.length)
        response.headers[.acceptRanges] = "bytes"
        response.headers[.eTag] = tag
        if range != .unsatisfiable { describe(metadata, in: &response.headers, decodes: try call.query.bool("content_encoding") ?? true) }
        protect(&response.headers)
        return response
    }

    private static func body(
        of record: AttachmentRecord, _ range: Range<Int64>, _ status: HTTPResponse.Status, _ call: LegacyCall
    ) -> Response {
        var body = SegmentedBody()
        if !range.isEmpty { body.append(record, range: range) }
        return body.response(type: "application/octet-stream", status: status, for: call)
    }

    /// - Parameter decodes: Whether the client decompresses attachments that are stored compressed; false for `content_encoding=false`.
    private static func describe(_ metadata: AttachmentMetadata, in headers: inout HTTPFields, decodes: Bool) {
        if let type = metadata.contentType { headers[.contentType] = type }
        guard let encoding = metadata.encoding else {
            // Prevents compression of the response: a client that resumes with a range counts the stored bytes.
            headers[.contentEncoding] = "identity"
            return
        }
        if decodes {
            headers[.contentEncoding] = encoding
        } else {
            headers[.contentType] = "application/gzip"
            if let name = HTTPField.Name("X-Content-Encoding") { headers[name] = encoding }
        }
    }

    /// Attachments are not trusted: a browser must not run one as a page of this server.
    private static func protect(_ headers: inout HTTPFields) {
        headers[.contentDisposition] = "attachment"
        headers[.xContentTypeOptions] = "nosniff"
        headers[.contentSecurityPolicy] = "sandbox"
    }

    static func put(_ call: LegacyCall) async throws -> Response {
        // Validate the name before the body is received.
        try AttachmentLimits().check(name: call.attachmentName)
        let upload = call.keyspace.receiveAttachment()
        let record: AttachmentRecord
        do {
            for try await chunk in call.request.body { try await upload.append(Array(chunk.readableBytesView)) }
            record = try await upload.finish()
        } catch {
            try? await upload.abandon()
            throw error
        }
        var entry = AttachmentMetadata(name: call.attachmentName, contentType: call.request.headers[.contentType])
        if entry.contentType?.isEmpty ?? true { entry.contentType = "application/octet-stream" }
        let stored = entry.stored(digest: record.digest, length: Int(record.length))
        let revision = try await edit(call) { entries, generation in
            var stored = stored
            stored.revpos = generation
            entries.removeAll { $0.name.utf8.elementsEqual(stored.name.utf8) }
            entries.append(stored)
        }
        var response = Response.json(WriteResponse.encode(id: call.documentID, revision: revision.text), status: .created)
        response.headers.setEntityTag(revision.text)
        return response
    }

    static func delete(_ call: LegacyCall) async throws -> Response {
        let name = call.attachmentName
        if try call.revision == nil {
            // A client that does not name the revision cannot have read it.
            _ = try await call.keyspace.revision(.current, of: call.documentID)
            throw LegacyError(.conflict, needsRevision)
        }
        let revision = try await edit(call) { entries, _ in
            guard entries.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw LegacyError(.notFound, "missing attachment \(name)")
            }
            entries.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
        }
        return .json(WriteResponse.encode(id: call.documentID, revision: revision.text))
    }

    /// Writes a revision that differs from the named revision, or from an empty document, only in its attachments.
    private static func edit(
        _ call: LegacyCall, _ change: (inout [AttachmentMetadata], _ generation: Int) throws -> Void
    ) async throws -> RevisionID {
        let parent = try call.revision
        var body = DocumentBody.empty
        var set = AttachmentSet()
        if let parent {
            let content = try await parentContent(parent, call)
            body = content.body.properties
            set = try content.body.attachments.map { try AttachmentSet($0) } ?? set
        }
        try change(&set.entries, (parent?.generation ?? 0) + 1)
        let write = RevisionWrite(
            id: call.documentID, kind: .edit(parent: parent), isDeleted: false, body: body, attachments: set.isEmpty ? nil : set)
        do {
            return try await call.keyspace.write(write).revision
        } catch let error as GatewayError where error.code == .conflict && parent == nil {
            throw LegacyError(.conflict, needsRevision, cause: error)
        }
    }

    /// The revision whose attachments are changed. A missing one is reported as a conflict.
    private static func parentContent(_ parent: RevisionID, _ call: LegacyCall) async throws -> RevisionContent {
        // The placeholder that readers get in place of a document they can no longer read is not a valid base for an edit.
        let isTakenBack = try await call.keyspace.read { snapshot in
            try snapshot.document(call.documentID).map { $0.isTakenBack && $0.winner == parent } ?? false
        }
        guard !isTakenBack else { throw LegacyError(.notFound, "Document revision is not accessible") }
        do {
            return try await call.keyspace.revision(.revision(parent), of: call.documentID)
        } catch let error as GatewayError where error.code == .notFound {
            throw LegacyError(.conflict, "Document update conflict", cause: error)
        }
    }

    private static let needsRevision = "Cannot modify attachments without a specific rev ID"
}
