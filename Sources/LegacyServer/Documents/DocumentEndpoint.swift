import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// `/{db}/{id}`: one document.
enum DocumentEndpoint {
    static func get(_ call: LegacyCall) async throws -> Response {
        if call.query["open_revs"]?.isEmpty == false { return try await OpenRevisions.response(to: call) }
        let options = try ReadOptions(call)
        let content = try await content(for: call)
        let form = try form(for: call, wantsAttachments: options.includesAttachments && content.body.attachments != nil)
        var response: Response
        if form == .parts {
            let attachments = try await OutgoingAttachments(of: content, options, form: form, in: call.keyspace, limits: call.limits)
            let document = RelatedDocument(
                content: content, options: options, attachments: attachments ?? OutgoingAttachments(stubsOf: content))
            var body = SegmentedBody()
            document.append(to: &body)
            response = body.response(type: document.contentType, for: call)
        } else {
            let writer = DocumentWriter(keyspace: call.keyspace, options: options, limits: call.limits)
            var body = SegmentedBody()
            try await writer.append(content, to: &body)
            body = try call.largeAnswers.share(body, of: content.id, call.account)
            response = body.response(type: "application/json", for: call)
        }
        response.headers.setEntityTag(content.revision.text)
        return response
    }

    /// Multipart if the client accepts it and there are attachments to send, or if the client does not accept JSON.
    private static func form(for call: LegacyCall, wantsAttachments: Bool) throws -> OutgoingAttachments.Form {
        let accept = call.accept
        let takesJSON = accept.accepts("application/json")
        guard accept.accepts("multipart/related") || accept.accepts("multipart/mixed") else {
            guard takesJSON else { throw LegacyError(.notAcceptable, "only application/json available") }
            return .inline
        }
        return wantsAttachments || !takesJSON ? .parts : .inline
    }

    private static func content(for call: LegacyCall) async throws -> RevisionContent {
        var query = RevisionQuery(id: call.documentID)
        query.revision = try call.readRevision
        query.latest = call.query.flag("latest")
        let wanted = query
        let answer = try await call.keyspace.read { try wanted.answer(in: $0) }
        guard let content = try answer.first?.get() else { throw LegacyError(.notFound, "missing") }
        return content
    }

    static func put(_ call: LegacyCall) async throws -> Response {
        let isReplicated = try call.query.bool("new_edits") == false
        let (document, parts) = try await received(by: call)
        let unescapedID = isReplicated ? document.id.flatMap { call.isUnescaped($0) ? $0 : nil } : nil
        let input = try DocumentInput(document, pathID: unescapedID ?? call.documentID)
        let outcome = try await write(input, parts, makesRevision: !isReplicated, parent: isReplicated ? nil : call.revision, call)
        var response = Response.json(WriteResponse.encode(id: input.id, revision: outcome.revision.text), status: .created)
        if !isReplicated { response.headers.setEntityTag(outcome.revision.text) }
        return response
    }

    /// `POST /{db}/`: writes a document whose ID the server may choose. Responds with 200, as Sync Gateway does.
    static func post(_ call: LegacyCall) async throws -> Response {
        let (document, parts) = try await received(by: call)
        let input = try DocumentInput(document)
        let outcome = try await write(input, parts, makesRevision: true, parent: nil, call)
        var response = Response.json(WriteResponse.encode(id: input.id, revision: outcome.revision.text))
        response.headers.setEntityTag(outcome.revision.text)
        response.headers[.location] = PercentEncoding.encodePathSegment(input.id)
        return response
    }

    static func delete(_ call: LegacyCall) async throws -> Response {
        let parent = try call.revision
        // Without a revision, only a live document conflicts with the tombstone. A document that does not exist gets a tombstone, as in Sync Gateway;
        // a missing design document gets 404.
        if parent == nil, DocumentID.isDesign(call.documentID) { _ = try await call.keyspace.revision(.current, of: call.documentID) }
        let write = RevisionWrite(id: call.documentID, kind: .edit(parent: parent), isDeleted: true, body: DocumentBody.empty)
        let outcome = try await call.keyspace.write(write)
        return .json(WriteResponse.encode(id: call.documentID, revision: outcome.revision.text))
    }

    private static func received(by call: LegacyCall) async throws -> (ParsedDocument, [ReceivedAttachment]) {
        if call.contentType?.isMultipart == true {
            var reader = try MultipartDocumentReader(call)
            return try await reader.read()
        }
        let limits = DocumentLimits(
            maximumSize: call.keyspace.database.configuration.limits.documentSize, maximumDepth: call.limits.depth)
        return (try ParsedDocument(try await call.jsonBody(), policy: .legacy, limits: limits), [])
    }

    private static func write(
        _ input: DocumentInput, _ parts: [ReceivedAttachment], makesRevision: Bool, parent: RevisionID?, _ call: LegacyCall
    ) async throws -> WriteOutcome {
        var write = try input.write(makesRevision: makesRevision, parent: parent)
        let intake = AttachmentImporter(keyspace: call.keyspace, limits: call.limits)
        try await intake.importAttachments(input.document.attachments, parts: parts, into: &write)
        do {
            return try await call.keyspace.write(write)
        } catch let error as GatewayError {
            throw LegacyError(writing: write, error)
        }
    }
}

/// Reads a request whose body is a document followed by its attachments.
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
    /// - Returns: The document and its attachments.
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
