import Access
public import Storage

extension Keyspace {
    /// A `_local/` document of 1.x, or a 2.x+ client's checkpoint.
    public func localDocument(_ kind: LocalDocumentKind, id: String) async throws -> LocalDocument? {
        let scope = scope
        return try await store.read(as: share) { try $0.localDocument(kind, in: scope, id: id) }
    }

    /// Writes one, if `expected` is the revision that it has; returns the new revision, `0-n`.
    ///
    /// That is a sighting of its client, too. Of a 2.x+ checkpoint, the half that the client does not speak of is kept, but for named collections: those
    /// names say of which direction they are (docs/protocol/modern-2x.md#checkpoint-ids).
    ///
    /// - Parameters:
    ///   - expected: the revision that the client knows, `nil` if it knows none.
    ///   - body: its JSON object, kept byte for byte; `nil` deletes it.
    ///   - client: who writes it; `nil` for what is nobody's checkpoint.
    /// - Throws: ``GatewayError`` with code `conflict` if it has another revision, `notFound` if it is not there and a revision
    ///   was expected: what Sync Gateway answers, and what clients recover from.
    public func setLocalDocument(
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

    /// Takes over what the legacy upstream keeps under the name of a `_local/` document, or that it keeps nothing.
    ///
    /// - Parameters:
    ///   - found: what is there; `nil` if there is nothing.
    ///   - current: what was here when upstream was asked. If it has been written meanwhile, it stays.
    /// - Returns: what is here now.
    public func inherit(_ found: LocalDocument?, id: String, replacing current: LocalDocument?) async throws -> LocalDocument? {
        let scope = scope
        return try await store.write { transaction in
            let now = try transaction.localDocument(.local, in: scope, id: id)
            guard now == current else { return now }
            var found = found
            found?.modified = Timestamp.now
            for place in found.flatMap({ CheckpointBody($0.body)?.places(.local) }) ?? [] {
                try UpstreamHighSequence.note(UpstreamSequence(place).highest, in: transaction)
            }
            let next = CheckpointInheritance(current: current, found: found).next
            if next != current, let next { try transaction.setLocalDocument(next, .local, in: scope, id: id) }
            return next
        }
    }
}

/// Which `_local/` document counts, the one here or the legacy upstream's.
///
/// Upstream's, if there is none here, and if it has changed since it was last looked at: then the client has been there again and comes back.
/// A client talks to one server at a time, and asks for its checkpoint whenever it begins.
struct CheckpointInheritance {
    let current: LocalDocument?

    /// Upstream's; `nil` if it has none.
    let found: LocalDocument?

    /// What is to stand here.
    var next: LocalDocument? {
        guard var current else { return found }
        let revision = found?.upstreamRevision ?? ""
        if let known = current.upstreamRevision, known != revision, let found { return found }
        current.upstreamRevision = revision
        return current
    }
}
