import Gateway
import Storage

/// Both halves of a checkpoint where they stand: the one that is kept here, and the server's.
extension CheckpointKeeper {
    static func local(_ id: String, in keyspace: Keyspace) async throws -> LocalCheckpoint? {
        try await keyspace.localDocument(.replicator, id: id).flatMap { LocalCheckpoint($0.body) }
    }

    /// How far a replication has come by the half that is kept here.
    static func saved(_ id: CheckpointID, in keyspace: Keyspace) async throws -> String? {
        try await local(id.text, in: keyspace)?.lastSequence
    }

    /// The server's half of a checkpoint; an empty one if it has none.
    ///
    /// - Parameter isRetried: Whether it is asked for again where that fails transiently.
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

    /// Writes the half that is kept here; `nil` for the start.
    static func setLocal(_ checkpoint: LocalCheckpoint?, _ id: String, in keyspace: Keyspace) async throws {
        while true {
            let current = try await keyspace.localDocument(.replicator, id: id)
            guard current != nil || checkpoint != nil else { return }
            do {
                _ = try await keyspace.setLocalDocument(
                    .replicator, id: id, body: checkpoint?.json, expected: current.map { "0-\($0.revision)" })
                return
            } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
                // Another replication of the same name was quicker.
                continue
            }
        }
    }

    /// Forgets the half that is kept here, so that the next run begins at the start.
    static func reset(_ id: CheckpointID, in keyspace: Keyspace) async throws {
        try await setLocal(nil, id.text, in: keyspace)
    }
}

extension ReplicationError {
    /// Whether a checkpoint is kept back, or is none, so that it cannot be told what it says.
    var isUnreadableCheckpoint: Bool {
        origin != .intermediary && (code == .forbidden || code == .upstream)
    }
}
