import Access
package import Storage

extension Keyspace {
    /// Reads a `_local/` document of 1.x, or a 2.x+ client's checkpoint.
    package func localDocument(_ kind: LocalDocumentKind, id: String) async throws -> LocalDocument? {
        let scope = scope
        return try await store.read(as: share) { try $0.localDocument(kind, in: scope, id: id) }
    }

    /// Writes a `_local/` document if `expected` is its current revision; returns the new revision, `0-n`.
    ///
    /// The write also records the client's checkpoint for the client statistics. In a 2.x+ checkpoint of the default collection, the half that the
    /// new body omits is kept. Checkpoint IDs of named collections already include the direction (docs/protocol/modern-2x.md#checkpoint-ids).
    ///
    /// - Parameters:
    ///   - expected: the revision that the client has; `nil` if it has none.
    ///   - body: the document's JSON object, stored byte for byte; `nil` deletes the document.
    ///   - client: the kind of the writing client; `nil` if the document is not a client's checkpoint.
    /// - Throws: ``GatewayError`` with code `conflict` if the document has another revision, `notFound` if it does not exist and a revision was
    ///   expected. Sync Gateway replies with the same errors, and clients recover from them.
    package func setLocalDocument(
        _ kind: LocalDocumentKind, id: String, body: [UInt8]?, expected: String?, by client: ClientKind? = nil
    ) async throws -> String {
        let (scope, database) = (scope, database)
        let user = principal.userName ?? ""
        return try await store.write { transaction in
            let current = try transaction.localDocument(kind, in: scope, id: id)
            if current == nil, expected != nil || body == nil { throw GatewayError(.notFound, "No previous revision to replace") }
            if let current, expected != "0-\(current.revision)" { throw GatewayError(.conflict, "Document update conflict") }
            let revision = (current?.revision ?? 0) + 1
            let now = Timestamp.now
            let next = body.map { body in
                let isShared = kind == .checkpoint && current != nil && (scope == .unified || scope == .collection(.default))
                let merged = isShared ? CheckpointBody.merging(body, into: current?.body ?? []) : body
                return LocalDocument(revision: revision, body: merged, modified: now, upstreamRevision: current?.upstreamRevision)
            }
            try transaction.setLocalDocument(next, kind, in: scope, id: id)
            let position = next.flatMap { CheckpointBody($0.body)?.position(kind, from: database.origin) }
            if next != nil, let client = client ?? (kind == .replicator && position != nil ? .replicator : nil) {
                try transaction.note(
                    CheckpointRecord(
                        kind: kind, scope: scope, id: id, user: user, generation: client.generation, agent: client.agent,
                        position: position, firstSeen: now, lastSeen: now))
            }
            return "0-\(revision)"
        }
    }

    /// Stores the legacy upstream's version of a client's document, or the fact that upstream has none.
    ///
    /// - Parameters:
    ///   - found: upstream's document; `nil` if there is none.
    ///   - current: the local document at the time of the request to upstream. If it was written meanwhile, it stays unchanged.
    /// - Returns: the local document after the call.
    package func inherit(
        _ found: LocalDocument?, _ kind: LocalDocumentKind, id: String, replacing current: LocalDocument?
    ) async throws -> LocalDocument? {
        let scope = scope
        return try await store.write { transaction in
            let now = try transaction.localDocument(kind, in: scope, id: id)
            guard now == current else { return now }
            var found = found
            found?.modified = Timestamp.now
            for place in found.flatMap({ CheckpointBody($0.body)?.positions(kind) }) ?? [] {
                try UpstreamHighSequence.record(UpstreamSequence(place).highest, in: transaction)
            }
            let next = CheckpointInheritance(current: current, found: found).next
            if next != current, let next { try transaction.setLocalDocument(next, kind, in: scope, id: id) }
            return next
        }
    }
}

/// Chooses between the client's document here and the legacy upstream's.
///
/// Upstream's document wins if there is no local document, or if upstream's has changed since the last comparison: then the client has replicated
/// with upstream in between. A client replicates with one server at a time, and requests its checkpoint at the start of each replication.
struct CheckpointInheritance {
    let current: LocalDocument?

    /// Upstream's document; `nil` if it has none.
    let found: LocalDocument?

    /// The document to store locally.
    var next: LocalDocument? {
        guard var current else { return found }
        let revision = found?.upstreamRevision ?? ""
        if let known = current.upstreamRevision, known != revision, let found { return found }
        current.upstreamRevision = revision
        return current
    }
}
