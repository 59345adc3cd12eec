import Compression
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore

/// `_bulk_get`: many revisions in one answer.
enum BulkGetEndpoint {
    /// JSON only for those who name it and nothing multipart: Couchbase Lite names both, or neither, and silently drops a JSON answer.
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

    /// Says that the answer is not to be compressed, where its client cannot read it then.
    private static func encoded(_ response: Response, _ boundary: MultipartBoundary?, _ call: LegacyCall) -> Response {
        guard boundary != nil, !PartCompression.readsWholeCompressed(call.request.headers) else { return response }
        var response = response
        response.headers[.contentEncoding] = "identity"
        return response
    }
}

/// Whether the JSON parts of a multipart answer are compressed, each for itself: `X-Accept-Part-Encoding: gzip`.
///
/// Couchbase Lite asks for it with every `_bulk_get`. As in Sync Gateway, parts are compressed only where the answer is not compressed as a
/// whole, only where they stand alone (iOS and Java read no compressed part around attachments), and only if they are worth it.
struct PartCompression: Sendable {
    let isWanted: Bool

    /// Smaller parts are left alone; Sync Gateway's bound.
    static let minimumSize = 300

    /// Fast rather than small: many parts, each for itself.
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

    /// Whether the client can read a multipart answer that is compressed as a whole: Couchbase Lite before protocol 1.2 cannot, although it
    /// offers gzip.
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

    /// The part's bytes compressed; `nil` if they are to stay as they are.
    func compressed(_ bytes: [UInt8]) throws -> [UInt8]? {
        guard isWanted, bytes.count >= Self.minimumSize else { return nil }
        return try Deflater(level: Self.level).write(bytes, flush: .finish)
    }
}
