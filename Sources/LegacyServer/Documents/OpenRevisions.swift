import Documents
import Gateway
import HTTP
import HummingbirdCore
import LegacyProtocol

/// `open_revs`: several revisions of one document, either all leaves or those named.
enum OpenRevisions {
    /// A revision that was found, or the ID of a missing one.
    enum Answer: Sendable {
        case found(RevisionContent)
        case missing(String)
    }

    static func response(to call: LegacyCall) async throws -> Response {
        var options = try ReadOptions(call)
        let answers = try await answers(for: call)
        let accept = call.accept
        guard accept.accepts("multipart/mixed"), !accept.wantsJSONRatherThanMultipart else {
            guard accept.accepts("application/json") else { throw LegacyError(.notAcceptable, "only application/json available") }
            return try await json(answers, options, call)
        }
        // CouchDB's replicator expects attachment bytes here.
        options.includesAttachments = true
        options.leavesOutMissing = true
        return try await multipart(answers, options, call)
    }

    private static func answers(for call: LegacyCall) async throws -> [Answer] {
        let id = call.documentID
        let names = call.query["open_revs"] ?? ""
        let latest = call.query.flag("latest")
        let revisions = names == "all" ? nil : try call.revisions("open_revs")
        return try await call.keyspace.read { snapshot in
            guard let revisions else {
                guard let document = try snapshot.document(id) else { throw LegacyError(.notFound, "missing") }
                // Leaves that the client may not read are omitted.
                let leaves = try document.tree.leaves.compactMap { try document.content(of: $0.id) }
                guard !leaves.isEmpty else { throw LegacyError(.notFound, "missing") }
                return leaves.map { .found($0) }
            }
            var seen: Set<RevisionID> = []
            return try revisions.flatMap { text -> [Answer] in
                guard let revision = RevisionID(text) else { return [.missing(text)] }
                return try RevisionQuery(id: id, revision: revision, latest: latest).answer(in: snapshot).compactMap { result -> Answer? in
                    switch result {
                    // Two superseded revisions may have the same newest descendant.
                    case .success(let content): seen.insert(content.revision).inserted ? .found(content) : nil
                    case .failure: .missing(revision.text)
                    }
                }
            }
        }
    }

    private static func json(_ answers: [Answer], _ options: ReadOptions, _ call: LegacyCall) async throws -> Response {
        var options = options
        // These members belong to the document instead of one of its revisions.
        (options.includesConflicts, options.includesDeletedConflicts, options.includesRevisionInfo) = (false, false, false)
        let writer = DocumentWriter(keyspace: call.keyspace, options: options, limits: call.limits)
        var body = SegmentedBody()
        for (index, answer) in answers.enumerated() {
            body.append { JSONWriter.append(raw: index == 0 ? "[\n" : ",", to: &$0) }
            switch answer {
            case .found(let content):
                body.append { JSONWriter.append(raw: "{\"ok\":", to: &$0) }
                try await writer.append(content, to: &body)
                body.append { JSONWriter.append(raw: "}\n", to: &$0) }
            case .missing(let revision):
                body.append { bytes in
                    appendMissing(revision, to: &bytes)
                    JSONWriter.append(raw: "\n", to: &bytes)
                }
            }
        }
        body.append { JSONWriter.append(raw: answers.isEmpty ? "[\n]" : "]", to: &$0) }
        return body.response(type: "application/json", for: call)
    }

    private static func multipart(_ answers: [Answer], _ options: ReadOptions, _ call: LegacyCall) async throws -> Response {
        var writer = MultipartWriter()
        var body = SegmentedBody()
        for answer in answers {
            switch answer {
            case .missing(let revision):
                body.append { bytes in
                    writer.beginPart(.jsonError(), to: &bytes)
                    appendMissing(revision, to: &bytes)
                }
            case .found(let content):
                let attachments = try await OutgoingAttachments(
                    of: content, options, form: .parts, in: call.keyspace, limits: call.limits)
                if let attachments, attachments.hasBodies {
                    let document = RelatedDocument(content: content, options: options, attachments: attachments)
                    var headers = PartHeaders()
                    headers.append("Content-Type", document.contentType)
                    body.append { writer.beginPart(headers, to: &$0) }
                    document.append(to: &body)
                } else {
                    var renderer = content.renderer(options)
                    if let attachments { renderer.attachments = attachments.json }
                    body.append { [renderer] bytes in
                        writer.beginPart(.json(), to: &bytes)
                        renderer.append(to: &bytes)
                    }
                }
            }
        }
        body.append { writer.finish(to: &$0) }
        return body.response(type: writer.boundary.contentType("mixed"), for: call)
    }

    private static func appendMissing(_ revision: String, to bytes: inout [UInt8]) {
        JSONWriter.append(raw: "{\"missing\":", to: &bytes)
        JSONWriter.append(revision, to: &bytes)
        JSONWriter.append(raw: "}", to: &bytes)
    }
}
