import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import Storage

/// `_all_docs`: the documents in the order of their IDs, or those named by `keys`.
enum AllDocsEndpoint {
    static func list(_ call: LegacyCall) async throws -> Response {
        let body = call.request.method == .post ? try await call.jsonBody() : nil
        let options = try AllDocsOptions(query: call.query, body: body, limits: call.limits)
        var stream = AllDocsStream(options, keyspace: call.keyspace, limits: call.limits)
        var first = SegmentedBody()
        first.append { $0 += AllDocsEncoder.opening }
        first.append(try await stream.next())
        guard !stream.isFinished else { return first.response(type: "application/json", for: call) }
        let (rest, opening) = (stream, first)
        let (keyspace, chunkSize) = (call.keyspace, call.limits.chunkSize)
        return .stream(type: "application/json") { writer in
            var stream = rest
            try await opening.write(to: &writer, from: keyspace, chunkSize: chunkSize)
            while !stream.isFinished { try await stream.next().write(to: &writer, from: keyspace, chunkSize: chunkSize) }
            try await writer.finish(nil)
        }
    }
}

/// Reads a list in pieces, and writes it.
struct AllDocsStream: Sendable {
    private struct Row {
        let id: String
        /// `nil` if the document does not exist.
        var revision: String?
        var sequence = SequenceNumber.zero
        var isDeleted = false
        var details: AllDocsDetails?
    }

    private let keyspace: Keyspace
    private let limits: LegacyLimits
    private let options: AllDocsOptions
    private var encoder: AllDocsEncoder
    private var range: ListRange
    private var keys: ArraySlice<String>
    private var remaining: Int
    private var skip: Int

    /// The last ID that was read; the next piece begins at it.
    private var last: String?

    /// How the next piece is searched for.
    private var plan = ListEnd.Plan.open

    /// Rows that were read and whose documents were not sent yet.
    private var rest: ArraySlice<Row> = []

    /// Whether all rows were read.
    private var isAtEnd = false
    private(set) var isFinished = false

    init(_ options: AllDocsOptions, keyspace: Keyspace, limits: LegacyLimits) {
        self.options = options
        self.keyspace = keyspace
        self.limits = limits
        encoder = AllDocsEncoder(includesSequence: options.includesSequence)
        range = options.range
        remaining = options.limit ?? .max
        skip = options.skip
        keys = options.keys?.dropFirst(options.skip).prefix(remaining) ?? []
    }

    /// The next rows of the response, with the closing text after the last one.
    mutating func next() async throws -> SegmentedBody {
        if rest.isEmpty { rest = try await (options.keys == nil ? listedRows() : keyedRows())[...] }
        var body = SegmentedBody()
        if options.includesDocuments {
            try await appendWithDocuments(to: &body)
        } else {
            body.reserve(rest.count * 120)
            for row in rest { append(row, nil, to: &body) }
            rest = []
        }
        isFinished = isAtEnd && rest.isEmpty
        if isFinished {
            let counter = try await keyspace.lastSequence()
            body.append { encoder.appendClosing(counter: counter, to: &$0) }
        }
        // A disconnected client is detected by a failed write, so bytes are sent even if no rows were found.
        if body.isEmpty { body.append { $0.append(UInt8(ascii: "\n")) } }
        return body
    }

    private mutating func listedRows() async throws -> [Row] {
        let (range, last, plan) = (range, last, plan)
        let scope = keyspace.scope
        let options = options
        let scan = limits.listScan
        // One more row if the last one is read again.
        let wanted = min(limits.changesBatch, remaining == .max ? .max : remaining + skip)
        let count = wanted + (last == nil ? 0 : 1)
        var (rows, end) = try await keyspace.read { snapshot in
            var rows: [Row] = []
            func details(_ id: String) throws -> AllDocsDetails? {
                guard options.includesDetails else { return nil }
                return try snapshot.document(id).map { try AllDocsDetails($0, in: scope, options) }
            }
            let end = try snapshot.list(range, limit: count, scan: scan, plan: plan) { row in
                rows.append(Row(id: row.id, revision: row.revision, sequence: row.sequence, details: try details(row.id)))
                return true
            }
            return (rows, end)
        }
        self.plan = end.plan
        isAtEnd = rows.count < count && end.next == nil
        if let last, rows.first?.id.utf8.elementsEqual(last.utf8) == true { rows.removeFirst() }
        if let end = end.next ?? rows.last?.id {
            self.last = end
            self.range.from = end
        }
        let skipped = min(skip, rows.count)
        skip -= skipped
        rows = Array(rows.dropFirst(skipped).prefix(remaining))
        if remaining != .max { remaining -= rows.count }
        if remaining == 0 { isAtEnd = true }
        return rows
    }

    private mutating func keyedRows() async throws -> [Row] {
        let batch = keys.prefix(limits.changesBatch)
        keys = keys.dropFirst(batch.count)
        isAtEnd = keys.isEmpty
        let scope = keyspace.scope
        let options = options
        return try await keyspace.read { snapshot in
            try batch.map { key in
                guard let document = try snapshot.document(key), !document.isWithheld else { return Row(id: key) }
                let sequence = scope == .unified ? document.record.sequence : document.record.collectionSequence
                let details = options.includesDetails ? try AllDocsDetails(document, in: scope, options) : nil
                return Row(
                    id: key, revision: document.winner.text, sequence: sequence ?? .zero, isDeleted: document.isDeleted, details: details)
            }
        }
    }

    /// Appends the rows whose documents one snapshot may read.
    private mutating func appendWithDocuments(to body: inout SegmentedBody) async throws {
        guard !rest.isEmpty else { return }
        let reader = RevisionReader(keyspace: keyspace, limits: limits)
        let writer = DocumentWriter(keyspace: keyspace, options: options.documents, limits: limits)
        let queries = rest.prefix(limits.readBatch).map { RevisionQuery(id: $0.id, revision: $0.revision.flatMap { RevisionID($0) }) }
        let answers = try await reader.read(queries[...])
        for (row, answer) in zip(rest, answers) {
            var document = SegmentedBody()
            if !row.isDeleted, case .success(let content) = answer.first {
                try await writer.append(content, to: &document)
            } else {
                document.append { $0 += "null".utf8 }
            }
            append(row, document, to: &body)
        }
        rest = rest.dropFirst(answers.count)
    }

    private mutating func append(_ row: Row, _ document: SegmentedBody?, to body: inout SegmentedBody) {
        guard let revision = row.revision else { return body.append { encoder.appendMissing(row.id, to: &$0) } }
        encoder.append(
            id: row.id, revision: revision, sequence: row.sequence, isDeleted: row.isDeleted, details: row.details, document: document,
            to: &body)
    }
}
