import HTTPTypes
import HummingbirdCore
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

extension HTTPFields {
    /// The answer's revision or digest, in quotes, as Sync Gateway has it.
    mutating func setEntityTag(_ tag: String) {
        self[.eTag] = "\"\(tag)\""
    }
}
