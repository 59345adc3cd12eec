import Gateway
import HTTP
import Storage

/// Answers a `_bulk_get` in pieces: as many items at once as one snapshot should hold.
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
    ///   - boundary: of the multipart answer; `nil` for JSON.
    ///   - compression: of its parts.
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

    /// The next piece of the answer.
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

    /// About how many bytes the answer for a revision takes.
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
