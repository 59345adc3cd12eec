import HTTPTypes
import HummingbirdCore
import NIOCore

/// `_all_docs`: documents in the order of their IDs, or those named by `keys`.
enum AllDocsEndpoint {
    static func list(_ call: LegacyCall) async throws -> Response {
        let body = call.request.method == .post ? try await call.jsonBody() : nil
        let options = try AllDocsOptions(query: call.query, body: body, limits: call.limits)
        var stream = AllDocsStream(options, keyspace: call.keyspace, limits: call.limits)
        let first = try await AllDocsEncoder.opening + stream.next()
        guard !stream.isFinished else { return .json(first) }
        let rest = stream
        return .stream(type: "application/json") { writer in
            var stream = rest
            try await writer.write(ByteBuffer(bytes: first))
            while !stream.isFinished { try await writer.write(ByteBuffer(bytes: try await stream.next())) }
            try await writer.finish(nil)
        }
    }
}
