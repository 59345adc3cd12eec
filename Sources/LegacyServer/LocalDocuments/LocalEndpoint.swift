import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import Storage

/// `_local/{id}`: checkpoints and other private documents of clients.
enum LocalEndpoint {
    static func get(_ call: LegacyCall) async throws -> Response {
        call.keyspace.database.logFirstClient(client(call))
        var found = try await call.keyspace.localDocument(.local, id: call.documentID)
        if let inherited = InheritedDocument(call.documentID, call) { found = try await inherited.resolved(found) }
        guard let document = found else {
            throw LegacyError(.notFound, "missing")
        }
        return .json(LocalDocumentOutput.encode(document, id: call.documentID))
    }

    static func put(_ call: LegacyCall) async throws -> Response {
        let body = try await call.jsonBody()
        let input = try LocalDocumentInput(body[...], depth: call.limits.depth)
        let revision = try await write(
            input.isDeleted ? nil : input.body, expected: input.revision ?? call.revisionText, call.documentID, call)
        return .json(WriteResponse.encode(id: LocalDocumentInput.prefix + call.documentID, revision: revision), status: .created)
    }

    /// Deletes a local document. Sync Gateway's response has no body; PouchDB expects CouchDB's.
    static func delete(_ call: LegacyCall) async throws -> Response {
        let revision = try await write(nil, expected: call.revisionText, call.documentID, call)
        return .json(WriteResponse.encode(id: LocalDocumentInput.prefix + call.documentID, revision: revision))
    }

    /// Writes a local document, or deletes it if there is no body. The ID has no prefix.
    ///
    /// - Returns: The new revision; `0-0` after a deletion, as in CouchDB.
    static func write(_ body: [UInt8]?, expected: String?, _ id: String, _ call: LegacyCall) async throws -> String {
        guard 1...DocumentID.maximumLength ~= id.utf8.count else {
            throw LegacyError(.badRequest, "Invalid doc ID: the ID of a local document has 1 to \(DocumentID.maximumLength) bytes")
        }
        guard (body?.count ?? 0) <= call.limits.localDocumentSize else {
            throw LegacyError(.tooLarge, "Document too large! A local document has at most \(call.limits.localDocumentSize) bytes")
        }
        let revision: String
        do {
            revision = try await call.keyspace.setLocalDocument(.local, id: id, body: body, expected: expected, by: client(call))
        } catch let error as GatewayError where [.conflict, .notFound].contains(error.code) {
            // A client that was moved between its reading and its writing expects the old server's revision. PouchDB 9 does not survive a conflict
            // here (`TypeError` in its writing of checkpoints).
            guard let expected, let inherited = InheritedDocument(id, call), try await inherited.isInherited(expected) else { throw error }
            revision = try await call.keyspace.setLocalDocument(.local, id: id, body: body, expected: expected, by: client(call))
        }
        return body == nil ? "0-0" : revision
    }

    private static func client(_ call: LegacyCall) -> ClientKind { ClientKind(generation: 1, agent: call.request.headers[.userAgent]) }
}

/// A `_local/` document as a client reads it: `_id`, `_rev`, then its members as they were written.
enum LocalDocumentOutput {
    static func encode(_ document: LocalDocument, id: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(document.body.count + id.utf8.count + 48)
        JSONWriter.append(raw: "{\"_id\":", to: &bytes)
        JSONWriter.append(LocalDocumentInput.prefix + id, to: &bytes)
        JSONWriter.append(raw: ",\"_rev\":\"0-", to: &bytes)
        JSONWriter.append(Int(document.revision), to: &bytes)
        JSONWriter.append(raw: "\"", to: &bytes)
        let members = DocumentBody.members(of: document.body)
        if !members.isEmpty {
            JSONWriter.append(raw: ",", to: &bytes)
            bytes.append(contentsOf: members)
        }
        JSONWriter.append(raw: "}", to: &bytes)
        return bytes
    }
}
