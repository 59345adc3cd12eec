import Documents
import Gateway
import HTTP
import LegacyProtocol
import NIOHTTP1
import Storage

/// A revision that is sent to the server.
struct OutgoingDocument: Sendable {
    let content: RevisionContent

    /// Its attachments; those that the server lacks with their bytes. `nil` if there are none.
    let attachments: OutgoingAttachments?
    private let options: ReadOptions

    /// - Parameters:
    ///   - ancestors: Revisions that the server has.
    ///   - form: `.parts` if large attachments may follow the document.
    /// - Throws: ``ReplicationError`` if an attachment's bytes are not stored here, or are too large.
    init(
        _ content: RevisionContent, ancestors: [RevisionID], form: OutgoingAttachments.Form, keyspace: Keyspace, limits: LegacyLimits
    ) async throws {
        self.content = content
        // Always send the whole history: the server may have pruned the revision at which it could be cut.
        var history = ReadOptions()
        history.includesHistory = true
        options = history
        var options = history
        options.includesAttachments = true
        options.attachmentsSince = ancestors
        do {
            attachments = try await OutgoingAttachments(of: content, options, form: form, atHand: true, in: keyspace, limits: limits)
        } catch {
            throw ReplicationError(local: error)
        }
    }

    /// Whether attachments follow the document, so that it has to be sent in its own request.
    var hasParts: Bool { !(attachments?.following.isEmpty ?? true) }

    /// The document's JSON.
    func append(to bytes: inout [UInt8]) {
        var renderer = content.renderer(options)
        if let attachments { renderer.attachments = attachments.json }
        renderer.append(to: &bytes)
    }

    /// The document and the attachments that follow it, as a request body. Its length is known, because CouchDB before 2.0 cannot read a chunked
    /// body.
    func related(keyspace: Keyspace, chunkSize: Int) -> RemoteRequest.Body {
        let document = RelatedDocument(
            content: content, options: options, attachments: attachments ?? OutgoingAttachments(stubsOf: content))
        var body = SegmentedBody()
        document.append(to: &body)
        let stream = SegmentStream(segments: body.allSegments, keyspace: keyspace, chunkSize: chunkSize)
        return .stream(type: document.contentType, length: body.length, stream)
    }
}

/// Revisions that are sent in one `_bulk_docs` request (docs/protocol/legacy-1x.md#_bulk_docs).
struct BulkDocsBatch: Sendable {
    private(set) var contents: [RevisionContent] = []
    private var json = Array("{\"docs\":[".utf8)

    var isEmpty: Bool { contents.isEmpty }

    /// In bytes.
    var size: Int { json.count }

    mutating func add(_ document: OutgoingDocument) {
        if !contents.isEmpty { json.append(UInt8(ascii: ",")) }
        contents.append(document.content)
        document.append(to: &json)
    }

    var request: RemoteRequest {
        RemoteRequest("_bulk_docs", method: .POST, json: json + Array("],\"new_edits\":false}".utf8))
    }

    /// The errors that the server reports, by document. The server may list failures only, as CouchDB does.
    ///
    /// - Throws: ``ReplicationError`` with code `upstream` if the response is not an array.
    static func errors(in json: [UInt8]) throws -> [ExactString: ReplicationError] {
        guard let rows = (try? JSONValue(json))?.array else {
            throw ReplicationError(.upstream, "The answer of _bulk_docs is not an array")
        }
        var errors: [ExactString: ReplicationError] = [:]
        for row in rows {
            if let id = row["id"]?.string, let error = RowError.error(in: row) { errors[ExactString(id)] = error }
        }
        return errors
    }
}
