import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `_raw/{id}` and `_revtree/{id}`: what the store has of a document, for those who look for a fault.
enum RawDocumentEndpoint {
    /// The body with `_sync`, the metadata as Sync Gateway keeps it; without the body where `include_doc=false`.
    static func get(_ call: DatabaseCall) async throws -> Response {
        let includesBody: Bool
        do { includesBody = try call.query.bool("include_doc") ?? true } catch { throw AdminError(.badRequest, error.message) }
        let lease = try call.online()
        let id = call.id
        let bytes = try await call.keyspace(lease).read { snapshot in
            try snapshot.document(id).map { try RawDocument($0).rendered(includesBody: includesBody) }
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
        return Response(status: .ok, headers: [.contentType: "text/plain; charset=utf-8"], body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
