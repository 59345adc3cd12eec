import Compression
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore

/// `_bulk_get`: many revisions in one response.
enum BulkGetEndpoint {
    /// Responds in JSON only if the client accepts JSON and names no multipart type. Couchbase Lite names both types or neither, and silently
    /// drops a JSON response.
    static func read(_ call: LegacyCall) async throws -> Response {
        let request = try BulkGetRequest(try await call.jsonBody(), query: call.query, limits: call.limits)
        let accept = call.accept
        let boundary = accept.wantsJSONRatherThanMultipart ? nil : MultipartBoundary.random()
        if boundary != nil, !accept.accepts("multipart/mixed"), !accept.accepts("multipart/related") {
            throw LegacyError(.notAcceptable, "Response is multipart")
        }
        let type = boundary?.contentType("mixed") ?? "application/json"
        let keyspace = call.keyspace
        let limits = call.limits
        var stream = BulkGetStream(
            request, boundary: boundary, compression: PartCompression(call), keyspace: keyspace, limits: limits)
        let first = try await stream.next()
        guard !stream.isFinished else { return Self.encoded(first.response(type: type, for: call), boundary, call) }
        let rest = stream
        let response = Response.stream(type: type) { writer in
            var stream = rest
            try await first.write(to: &writer, from: keyspace, chunkSize: limits.chunkSize)
            while !stream.isFinished {
                try await stream.next().write(to: &writer, from: keyspace, chunkSize: limits.chunkSize)
            }
            try await writer.finish(nil)
        }
        return Self.encoded(response, boundary, call)
    }

    /// Disables compression of a multipart response as a whole if the client cannot read it.
    private static func encoded(_ response: Response, _ boundary: MultipartBoundary?, _ call: LegacyCall) -> Response {
        guard boundary != nil, !PartCompression.readsWholeCompressed(call.request.headers) else { return response }
        var response = response
        response.headers[.contentEncoding] = "identity"
        return response
    }
}

/// Whether the JSON parts of a multipart response are compressed individually: `X-Accept-Part-Encoding: gzip`.
///
/// Couchbase Lite requests this with every `_bulk_get`. As in Sync Gateway, a part is compressed only if:
/// - the response is not compressed as a whole,
/// - the part has no attachments (iOS and Java cannot read a compressed part around attachments),
/// - the part is large enough.
struct PartCompression: Sendable {
    let isWanted: Bool

    /// Smaller parts, in bytes, are not compressed. Sync Gateway's limit.
    static let minimumSize = 300

    /// Favours speed over size, because there are many small parts.
    private static let level = 1

    init(isWanted: Bool) {
        self.isWanted = isWanted
    }

    init(_ call: LegacyCall) {
        let accepted = Self.header.flatMap { call.request.headers[$0] } ?? ""
        let isAccepted = accepted.lowercased().split(separator: ",").contains { $0.filter { !$0.isWhitespace } == "gzip" }
        isWanted = isAccepted && !Self.isCompressedWhole(for: call.request.headers)
    }

    private static let header = HTTPField.Name("X-Accept-Part-Encoding")

    /// Whether the client can read a multipart response that is compressed as a whole. Couchbase Lite before protocol 1.2 cannot, although it
    /// accepts gzip.
    static func readsWholeCompressed(_ headers: HTTPFields) -> Bool {
        guard let client = headers[.userAgent]?.removing(prefix: "CouchbaseLite/") else { return true }
        let version = client.prefix { $0.isNumber || $0 == "." }
        let numbers = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        guard let major = numbers.first else { return false }
        return major > 1 || numbers.count > 1 && numbers[1] >= 2
    }

    private static func isCompressedWhole(for headers: HTTPFields) -> Bool {
        ResponseCompression.accepts(headers) && readsWholeCompressed(headers)
    }

    /// The compressed bytes of a part; `nil` if the part is not compressed.
    func compressed(_ bytes: [UInt8]) throws -> [UInt8]? {
        guard isWanted, bytes.count >= Self.minimumSize else { return nil }
        return try Deflater(level: Self.level).write(bytes, flush: .finish)
    }
}
