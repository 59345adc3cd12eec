extension Replicator {
    /// How far the replication has come by what is kept here; of several collections the one that is farthest behind counts.
    public func savedPosition() async throws -> ReplicatorPosition {
        var position = ReplicatorPosition()
        for replicated in configuration.collections {
            let id = try await checkpointID(of: replicated)
            guard let saved = try await replicated.keyspace.replicatorState(id).flatMap({ try? ReplicationCheckpoint($0) }) else {
                continue
            }
            if configuration.replicatorType.pushes { position.pushed = min(position.pushed ?? .max, saved.local.end) }
            guard configuration.replicatorType.pulls, let remote = saved.remote else { continue }
            if let known = position.pulled.flatMap({ RemoteSequence($0) }), let other = RemoteSequence(remote), !(other < known) {
                continue
            }
            position.pulled = remote
        }
        // Servers write it as a number or as a text.
        position.pulled = position.pulled.map { $0.trimmingPrefix("\"").hasSuffix("\"") ? String($0.dropFirst().dropLast()) : $0 }
        return position
    }
}
