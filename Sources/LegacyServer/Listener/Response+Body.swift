import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore

extension Response {
    /// A JSON body that is at hand as bytes. Without `charset`: CouchDB's replicator fails on it.
    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A body that is written while it is made.
    static func stream(
        type: String, status: HTTPResponse.Status = .ok, length: Int? = nil,
        _ write: @Sendable @escaping (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(status: status, headers: [.contentType: type], body: ResponseBody(contentLength: length, write))
    }
}

extension SegmentedBody {
    /// Writes everything, an attachment in pieces of `chunkSize` bytes.
    func write(to writer: inout any ResponseBodyWriter, from keyspace: Keyspace, chunkSize: Int) async throws {
        for try await piece in SegmentStream(segments: allSegments, keyspace: keyspace, chunkSize: chunkSize) {
            try await writer.write(piece)
        }
    }

    /// An answer with this body and its length.
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
    /// The answer's revision or digest, in quotes, as Sync Gateway has it.
    mutating func setEntityTag(_ tag: String) {
        self[.eTag] = "\"\(tag)\""
    }
}

/// The answer to a write of one document: `{"id":"a","ok":true,"rev":"1-b"}`.
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
