import Access
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `_raw/{id}` and `_revtree/{id}`: what the store has of a document, for those who look for a fault.
enum RawDocumentEndpoint {
    /// The body with `_sync`, the metadata as Sync Gateway keeps it; without the body where `include_doc=false`. With `redact=true`, which is for
    /// reports to others, hashes with `salt` stand for the names of channels.
    static func get(_ call: DatabaseCall) async throws -> Response {
        let (includesBody, redacts): (Bool, Bool)
        do {
            (includesBody, redacts) = (try call.query.bool("include_doc") ?? true, try call.query.bool("redact") ?? false)
        } catch {
            throw AdminError(.badRequest, error.message)
        }
        guard !(includesBody && redacts) else {
            throw AdminError(
                .badRequest,
                "redact and include_doc cannot be true at the same time. If you want to redact you must specify include_doc=false")
        }
        let salt = redacts ? call.query["salt"] ?? SessionID().text : nil
        let lease = try call.online()
        let id = call.id
        let bytes = try await call.keyspace(lease).read { snapshot in
            try snapshot.document(id).map { try RawDocument($0, salt: salt).rendered(includesBody: includesBody) }
        }
        guard let bytes else { throw AdminError(.notFound, "missing") }
        return ServerAnswer.json(.ok, bytes)
    }

    /// The revision tree in Graphviz's language.
    static func tree(_ call: DatabaseCall) async throws -> Response {
        let lease = try call.online()
        let id = call.id
        guard let text = try await call.keyspace(lease).read({ try $0.document(id).map { RawDocument($0).graph } }) else {
            throw AdminError(.notFound, "missing")
        }
        let body = ResponseBody(byteBuffer: ByteBuffer(string: text))
        return Response(status: .ok, headers: [.contentType: "text/plain; charset=utf-8"], body: body)
    }
}
