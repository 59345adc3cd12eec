import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore

extension Response {
    /// A response with JSON in memory. The content type has no `charset`, because CouchDB's replicator fails on it.
    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A response whose body is written while it is generated.
    static func stream(
        type: String, status: HTTPResponse.Status = .ok, length: Int? = nil,
        _ write: @Sendable @escaping (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(status: status, headers: [.contentType: type], body: ResponseBody(contentLength: length, write))
    }
}

extension SegmentedBody {
    /// Writes the whole body, attachments in chunks of `chunkSize` bytes.
    func write(to writer: inout any ResponseBodyWriter, from keyspace: Keyspace, chunkSize: Int) async throws {
        for try await piece in SegmentStream(segments: allSegments, keyspace: keyspace, chunkSize: chunkSize) {
            try await writer.write(piece)
        }
    }

    /// A response with this body and its length.
    func response(
        type: String, status: HTTPResponse.Status = .ok, from keyspace: Keyspace, chunkSize: Int
    ) -> Response {
        guard !segments.isEmpty else {
            return Response(status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: pending)))
        }
        return .stream(type: type, status: status, length: Int(length)) { writer in
            try await write(to: &writer, from: keyspace, chunkSize: chunkSize)
            try await writer.finish(nil)
        }
    }

    func response(type: String, status: HTTPResponse.Status = .ok, for call: LegacyCall) -> Response {
        response(type: type, status: status, from: call.keyspace, chunkSize: call.limits.chunkSize)
    }
}

extension HTTPFields {
    /// Sets the entity tag to the revision or digest in quotes, as in Sync Gateway.
    mutating func setEntityTag(_ tag: String) {
        self[.eTag] = "\"\(tag)\""
    }
}

/// The response to a write of one document: `{"id":"a","ok":true,"rev":"1-b"}`.
enum WriteResponse {
    static func encode(id: String, revision: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(raw: "{\"id\":", to: &bytes)
        JSONWriter.append(id, to: &bytes)
        JSONWriter.append(raw: ",\"ok\":true,\"rev\":", to: &bytes)
        JSONWriter.append(revision, to: &bytes)
        JSONWriter.append(raw: "}", to: &bytes)
        return bytes
    }
}
