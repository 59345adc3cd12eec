import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import Storage

/// `_local/{id}`: checkpoints, and whatever else a client keeps to itself.
enum LocalEndpoint {
    static func get(_ call: LegacyCall) async throws -> Response {
        var found = try await call.keyspace.localDocument(.local, id: call.documentID)
        if let upstream = call.upstream, call.keyspace.scope == .unified, DocumentID.maximumLength >= call.documentID.utf8.count {
            found = try await InheritedDocument(call: call, upstream: upstream).resolved(found)
        }
        guard let document = found else {
            throw LegacyError(.notFound, "missing")
        }
        return .json(LocalDocumentOutput.encode(document, id: call.documentID))
    }

    static func put(_ call: LegacyCall) async throws -> Response {
        let body = try await call.jsonBody()
        let input = try LocalDocumentInput(body[...], depth: call.limits.depth)
        let revision = try await write(input.body, expected: input.revision ?? call.revisionText, call.documentID, call)
        return .json(WriteResponse.encode(id: LocalDocumentInput.prefix + call.documentID, revision: revision), status: .created)
    }

    static func delete(_ call: LegacyCall) async throws -> Response {
        _ = try await write(nil, expected: call.revisionText, call.documentID, call)
        return Response(status: .ok)
    }

    /// Writes or deletes a local document; its ID comes without the prefix.
    static func write(_ body: [UInt8]?, expected: String?, _ id: String, _ call: LegacyCall) async throws -> String {
        guard 1...DocumentID.maximumLength ~= id.utf8.count else {
            throw LegacyError(.badRequest, "Invalid doc ID: a local document's has 1 to \(DocumentID.maximumLength) bytes")
        }
        guard (body?.count ?? 0) <= call.limits.localDocumentSize else {
            throw LegacyError(.tooLarge, "Document too large! A local document has at most \(call.limits.localDocumentSize) bytes")
        }
        return try await call.keyspace.setLocalDocument(
            .local, id: id, body: body, expected: expected, by: ClientKind(generation: 1, agent: call.request.headers[.userAgent]))
    }
}
