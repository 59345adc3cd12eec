import Documents
import Gateway
import HTTP
import LegacyProtocol
import Storage

/// Responds to a `_bulk_get` in pieces, each with as many items as one snapshot may read.
struct BulkGetStream: Sendable {
    private enum Form {
        case multipart(BulkGetMultipart)
        case json(BulkGetJSON)
    }

    private let reader: RevisionReader
    private var rest: ArraySlice<BulkGetRequest.Item>
    private var form: Form
    private(set) var isFinished = false

    /// - Parameters:
    ///   - boundary: The boundary of the multipart response; `nil` for JSON.
    ///   - compression: The compression of its parts.
    init(
        _ request: BulkGetRequest, boundary: MultipartBoundary?, compression: PartCompression, keyspace: Keyspace, limits: LegacyLimits
    ) {
        reader = RevisionReader(keyspace: keyspace, limits: limits)
        rest = request.items[...]
        if let boundary {
            form = .multipart(BulkGetMultipart(boundary: boundary, compression: compression, keyspace: keyspace, limits: limits))
        } else {
            form = .json(BulkGetJSON(keyspace: keyspace, limits: limits))
        }
    }

    /// The next piece of the response.
    mutating func next() async throws -> SegmentedBody {
        var body = SegmentedBody()
        if !rest.isEmpty {
            let answers = try await reader.read(rest.prefix(reader.limits.readBatch).map(\.query)[...])
            body.reserve(answers.joined().reduce(0) { $0 + Self.estimate($1) })
            for (item, answer) in zip(rest, answers) {
                let refusal = item.refusal.map { [Result<RevisionContent, LegacyError>.failure($0.error)] }
                try await append(refusal ?? answer, for: item, to: &body)
            }
            rest = rest.dropFirst(answers.count)
        }
        if rest.isEmpty {
            finish(&body)
            isFinished = true
        }
        return body
    }

    private mutating func append(
        _ results: [Result<RevisionContent, LegacyError>], for item: BulkGetRequest.Item, to body: inout SegmentedBody
    ) async throws {
        switch form {
        case .multipart(var multipart):
            try await multipart.append(results, for: item, to: &body)
            form = .multipart(multipart)
        case .json(var json):
            try await json.append(results, for: item, to: &body)
            form = .json(json)
        }
    }

    /// The approximate size of a revision's result in bytes.
    private static func estimate(_ result: Result<RevisionContent, LegacyError>) -> Int {
        guard case .success(let content) = result else { return 256 }
        return content.body.properties.count + (content.body.attachments?.count ?? 0) + content.history.count * 44 + 512
    }

    private mutating func finish(_ body: inout SegmentedBody) {
        switch form {
        case .multipart(var multipart): multipart.finish(&body)
        case .json(var json): json.finish(&body)
        }
    }
}

/// `_bulk_get` in the form for Couchbase Lite: `multipart/mixed` with a part for each item, in order.
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

    /// Appends a document without attachment bytes.
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

/// `_bulk_get` in the form of PouchDB and CouchDB: `{"results":[{"id":"a","docs":[{"ok":{..}}]},..]}`, in the order of the request.
struct BulkGetJSON: Sendable {
    let keyspace: Keyspace
    let limits: LegacyLimits
    private var isFirst = true

    init(keyspace: Keyspace, limits: LegacyLimits) {
        self.keyspace = keyspace
        self.limits = limits
    }

    mutating func append(
        _ results: [Result<RevisionContent, LegacyError>], for item: BulkGetRequest.Item, to body: inout SegmentedBody
    ) async throws {
        let opening: StaticString = isFirst ? "{\"results\":[{\"id\":" : ",{\"id\":"
        isFirst = false
        body.append { bytes in
            JSONWriter.append(raw: opening, to: &bytes)
            JSONWriter.append(item.query.id, to: &bytes)
            JSONWriter.append(raw: ",\"docs\":[", to: &bytes)
        }
        for (index, result) in results.enumerated() {
            if index > 0 { body.append { JSONWriter.append(raw: ",", to: &$0) } }
            try await append(result, item, to: &body)
        }
        body.append { JSONWriter.append(raw: "]}", to: &$0) }
    }

    private func append(
        _ result: Result<RevisionContent, LegacyError>, _ item: BulkGetRequest.Item, to body: inout SegmentedBody
    ) async throws {
        switch result {
        case .success(let content):
            body.append { JSONWriter.append(raw: "{\"ok\":", to: &$0) }
            try await DocumentWriter(keyspace: keyspace, options: item.options, limits: limits).append(content, to: &body)
            body.append { JSONWriter.append(raw: "}", to: &$0) }
        case .failure(let error):
            body.append { bytes in
                JSONWriter.append(raw: "{\"error\":", to: &bytes)
                error.appendRow(id: item.query.id, revision: item.revisionText, to: &bytes)
                JSONWriter.append(raw: "}", to: &bytes)
            }
        }
    }

    mutating func finish(_ body: inout SegmentedBody) {
        let ending: StaticString = isFirst ? "{\"results\":[]}" : "]}"
        body.append { JSONWriter.append(raw: ending, to: &$0) }
    }
}
