import Documents
import Gateway
import HTTP

/// `_bulk_get` as Couchbase Lite wants it: `multipart/mixed`, a part for each item, in order.
struct BulkGetMultipart: Sendable {
    private var writer: MultipartWriter
    private let keyspace: Keyspace
    private let limits: LegacyLimits
    private let compression: PartCompression
    private static let jsonHeaders = PartHeaders.json()
    private static let compressedHeaders = PartHeaders.json(encoding: "gzip")
    private static let errorHeaders = PartHeaders.jsonError()

    init(boundary: MultipartBoundary, compression: PartCompression, keyspace: Keyspace, limits: LegacyLimits) {
        writer = MultipartWriter(boundary: boundary)
        self.compression = compression
        self.keyspace = keyspace
        self.limits = limits
    }

    mutating func append(
        _ results: [Result<RevisionContent, LegacyError>], for item: BulkGetRequest.Item, to body: inout SegmentedBody
    ) async throws {
        for result in results {
            switch result {
            case .success(let content): try await append(content, item.options, to: &body)
            case .failure(let error):
                body.append { bytes in
                    writer.beginPart(Self.errorHeaders, to: &bytes)
                    error.appendRow(id: item.query.id, revision: item.revisionText, to: &bytes)
                }
            }
        }
    }

    private mutating func append(_ content: RevisionContent, _ options: ReadOptions, to body: inout SegmentedBody) async throws {
        let attachments = try await OutgoingAttachments(of: content, options, form: .parts, in: keyspace, limits: limits)
        guard let attachments, attachments.hasBodies else {
            var renderer = content.renderer(options)
            if let attachments { renderer.attachments = attachments.json }
            return try append(renderer, to: &body)
        }
        let document = RelatedDocument(content: content, options: options, attachments: attachments)
        var headers = PartHeaders()
        headers.append("Content-Type", document.contentType)
        headers.append("X-Doc-ID", content.id)
        headers.append("X-Rev-ID", content.revision.text)
        body.append { writer.beginPart(headers, to: &$0) }
        document.append(to: &body)
    }

    /// A document without attachments' bytes.
    private mutating func append(_ renderer: DocumentRenderer, to body: inout SegmentedBody) throws {
        guard compression.isWanted else {
            return body.append { bytes in
                writer.beginPart(Self.jsonHeaders, to: &bytes)
                renderer.append(to: &bytes)
            }
        }
        var json: [UInt8] = []
        renderer.append(to: &json)
        let compressed = try compression.compressed(json)
        body.append { bytes in
            writer.beginPart(compressed == nil ? Self.jsonHeaders : Self.compressedHeaders, to: &bytes)
            bytes += compressed ?? json
        }
    }

    mutating func finish(_ body: inout SegmentedBody) {
        body.append { writer.finish(to: &$0) }
    }
}
