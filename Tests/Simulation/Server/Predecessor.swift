import Gateway
import ModernServer
import Storage

/// The clients' old server, which may have their checkpoints.
struct Predecessor: CheckpointOrigin {
    let database: Database

    /// A client's effective document, as in `InheritedDocument`.
    func resolved(
        _ current: LocalDocument?, _ kind: LocalDocumentKind, id: String, in keyspace: Keyspace
    ) async throws -> LocalDocument? {
        var found = try await database.unified.localDocument(kind, id: id)
        if let revision = found?.revision { found?.upstreamRevision = "0-\(revision)" }
        guard current != nil || found != nil else { return nil }
        return try await keyspace.inherit(found, kind, id: id, replacing: current)
    }

    /// A 2.x client's effective checkpoint, as in `InheritedCheckpoints`.
    func checkpoint(_ id: String, in keyspace: Keyspace, replacing stored: LocalDocument?) async throws -> LocalDocument? {
        guard keyspace.scope == .unified, try await !keyspace.ownSequences().isDoubtful else { return stored }
        return try await resolved(stored, .checkpoint, id: id, in: keyspace)
    }
}
