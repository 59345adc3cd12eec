import Gateway
import Storage

/// Reads and writes both halves of a checkpoint: the local one and the server's.
extension CheckpointKeeper {
    static func local(_ id: String, in keyspace: Keyspace) async throws -> LocalCheckpoint? {
        try await keyspace.localDocument(.replicator, id: id).flatMap { LocalCheckpoint($0.body) }
    }

    /// The position of a replication by its local half.
    static func saved(_ id: LegacyCheckpointID, in keyspace: Keyspace) async throws -> String? {
        try await local(id.text, in: keyspace)?.lastSequence
    }

    /// The server's half of a checkpoint; an empty one if the server has none.
    ///
    /// - Parameter isRetried: Whether the request is retried after transient errors.
    static func remoteHalf(_ id: String, of remote: RemoteDatabase, isRetried: Bool = true) async throws -> RemoteCheckpoint {
        var request = RemoteRequest("_local/\(id)")
        request.isConfirmed = true
        request.isRetried = isRetried
        do {
            let answer = try await remote.confirmingRefusals(isRetried: isRetried) { [request] in try await remote.json(request) }
            return try RemoteCheckpoint(answer)
        } catch let error as ReplicationError where error.code == .notFound && error.origin != .intermediary {
            return RemoteCheckpoint()
        }
    }

    /// Writes the local half; `nil` resets it to the start.
    static func setLocal(_ checkpoint: LocalCheckpoint?, _ id: String, in keyspace: Keyspace) async throws {
        while true {
            let current = try await keyspace.localDocument(.replicator, id: id)
            guard current != nil || checkpoint != nil else { return }
            do {
                _ = try await keyspace.setLocalDocument(
                    .replicator, id: id, body: checkpoint?.json, expected: current.map { "0-\($0.revision)" })
                return
            } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
                // Another replication with the same ID has written it concurrently.
                continue
            }
        }
    }

    /// Deletes the local half, so that the next run begins at the start.
    static func reset(_ id: LegacyCheckpointID, in keyspace: Keyspace) async throws {
        try await setLocal(nil, id.text, in: keyspace)
    }
}

extension ReplicationError {
    /// Whether the server denies access to the checkpoint, or its content is not a checkpoint, so that its value is unknown.
    var isUnreadableCheckpoint: Bool {
        origin != .intermediary && (code == .forbidden || code == .upstream)
    }
}
