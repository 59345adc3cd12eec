import HTTPTypes
import HummingbirdCore

/// `_all_docs`: documents in the order of their IDs, or those named by `keys`.
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
