public import Storage

extension Keyspace {
    /// A `_local/` document of 1.x, or a 2.x+ client's checkpoint.
    public func localDocument(_ kind: LocalDocumentKind, id: String) async throws -> LocalDocument? {
        let scope = scope
        return try await store.read { try $0.localDocument(kind, in: scope, id: id) }
    }

    /// Writes one, if `expected` is the revision that it has; returns the new revision, `0-n`.
    ///
    /// - Parameters:
    ///   - expected: the revision that the client knows, `nil` if it knows none.
    ///   - body: its JSON object, kept byte for byte; `nil` deletes it.
    /// - Throws: ``GatewayError`` with code `conflict` if it has another revision, `notFound` if it is not there and a revision
    ///   was expected: what Sync Gateway answers, and what clients recover from.
    public func setLocalDocument(_ kind: LocalDocumentKind, id: String, body: [UInt8]?, expected: String?) async throws -> String {
        let scope = scope
        return try await store.write { transaction in
            let current = try transaction.localDocument(kind, in: scope, id: id)
            guard let current else {
                guard expected == nil, let body else { throw GatewayError(.notFound, "No previous revision to replace") }
                try transaction.setLocalDocument(
                    LocalDocument(revision: 1, body: body, modified: Timestamp.now), kind, in: scope, id: id)
                return "0-1"
            }
            guard expected == "0-\(current.revision)" else { throw GatewayError(.conflict, "Document update conflict") }
            let next = body.map { LocalDocument(revision: current.revision + 1, body: $0, modified: Timestamp.now) }
            try transaction.setLocalDocument(next, kind, in: scope, id: id)
            return "0-\(current.revision + 1)"
        }
    }
}
