import HTTP
import HTTPTypes
import HummingbirdCore
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
