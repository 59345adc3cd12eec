import Documents
public import Gateway
import Storage

extension Replicator {
    /// The task of one connection, starting from the saved checkpoints.
    func plan() async throws -> ReplicationPlan {
        var collections: [ReplicationPlan.Collection] = []
        for replicated in configuration.collections {
            let id = try await checkpointID(of: replicated)
            let kept = configuration.keepsCheckpoints ? try await replicated.keyspace.replicatorState(id) : nil
            let restores = try await replicated.keyspace.restores()
            var saved = kept.flatMap { try? ReplicationCheckpoint($0) }
            // The local checkpoint was restored with the store.
            saved?.restores = restores
            var collection = ReplicationPlan.Collection(replicated: replicated, checkpointID: id, saved: saved, restores: restores)
            if configuration.keepsCheckpoints, !configuration.replicatorType.pushes {
                let kept = try await replicated.keyspace.replicatorState(ReplicationPlan.followedID(id))
                collection.followed = kept.flatMap { try? ReplicationCheckpoint($0) }?.local ?? SequenceSet()
            }
            collections.append(collection)
        }
        var plan = ReplicationPlan(
            type: configuration.replicatorType, isContinuous: configuration.continuous, enablesAutoPurge: configuration.enableAutoPurge,
            usesDeltas: configuration.enableDeltaSync && configuration.target.takesDeltas, collections: collections)
        plan.namesDefault = namesDefault
        plan.parking = configuration.parking
        plan.keepsCheckpoints = configuration.keepsCheckpoints
        return plan
    }

    /// Removes the local checkpoints, so that the replication starts from the beginning.
    func forgetCheckpoints() async throws {
        for replicated in configuration.collections {
            let id = try await checkpointID(of: replicated)
            try await replicated.keyspace.setReplicatorState(nil, id: id)
            try await replicated.keyspace.setReplicatorState(nil, id: ReplicationPlan.followedID(id))
        }
    }

    func checkpointID(of replicated: ReplicatedCollection) async throws -> String {
        ModernCheckpointID(
            database: try await replicated.keyspace.databaseUUID(), collection: replicated.name, type: configuration.replicatorType,
            remote: try configuration.target.identity, channels: replicated.configuration.channels,
            documentIDs: replicated.configuration.documentIDs
        ).text
    }

    /// The documents of a collection with local changes that the server may not have, according to the progress since the last checkpoint.
    ///
    /// - Throws: ``ReplicatorError`` with code `notFound` if the collection is not replicated, `unsupported` if it is not pushed.
    public func pendingDocumentIDs(in collection: CollectionName = .default) async throws -> Set<String> {
        try await pending(in: collection, nil)
    }

    /// Whether a document has local changes that the server may not have. Faster than ``pendingDocumentIDs(in:)``.
    ///
    /// - Throws: As ``pendingDocumentIDs(in:)`` does.
    public func isDocumentPending(_ id: String, in collection: CollectionName = .default) async throws -> Bool {
        !(try await pending(in: collection, id)).isEmpty
    }

    private func pending(in name: CollectionName, _ id: String?) async throws -> Set<String> {
        guard configuration.replicatorType.pushes else {
            throw ReplicatorError(.unsupported, "A replicator that only pulls has nothing to push")
        }
        guard let replicated = configuration.collections.first(where: { $0.name == name }) else {
            throw ReplicatorError(.notFound, "The collection \(name) is not replicated")
        }
        let saved = try await replicated.keyspace.replicatorState(checkpointID(of: replicated)).flatMap { try? ReplicationCheckpoint($0) }
        let completed = await session?.completedSequences(of: name) ?? saved?.local ?? SequenceSet()
        return try await pending(in: replicated, completed, id)
    }

    private func pending(in replicated: ReplicatedCollection, _ completed: SequenceSet, _ id: String?) async throws -> Set<String> {
        let keyspace = replicated.keyspace
        var query = ChangesQuery()
        query.since = FeedPosition(SequenceNumber(completed.end))
        let ids = Set(replicated.configuration.documentIDs.map { ExactString($0) })
        if let id {
            guard ids.isEmpty || ids.contains(ExactString(id)) else { return [] }
            query.documentIDs = [ExactString(id)]
        } else if !ids.isEmpty {
            query.documentIDs = ids
        }
        var pending: Set<String> = []
        while true {
            let batch = try await keyspace.changes(query)
            for row in batch.rows where !row.isRemoval && !completed.contains(row.sequence.value) {
                if try await passesFilter(row, replicated) { pending.insert(row.id) }
            }
            query.since = batch.position
            if batch.isCaughtUp { return pending }
        }
    }

    private func passesFilter(_ row: ChangeRow, _ replicated: ReplicatedCollection) async throws -> Bool {
        guard let filter = replicated.configuration.pushFilter else { return true }
        let content = try await replicated.keyspace.read { snapshot in
            try snapshot.document(row.id).flatMap { try $0.content(of: $0.winner) }
        }
        guard let content else { return false }
        let document = FilteredDocument(id: row.id, revision: content.revision, body: content.body.properties)
        return try await filter.allows(document, row.isDeleted ? .deleted : [])
    }

    /// The progress according to the local checkpoints; the minimum over all collections.
    ///
    /// - Throws: Errors of the store.
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
        // Servers write a sequence as a number or as a string.
        position.pulled = position.pulled.map { $0.trimmingPrefix("\"").hasSuffix("\"") ? String($0.dropFirst().dropLast()) : $0 }
        return position
    }
}

extension ReplicationSession {
    /// The local sequences of a collection that need no push.
    func completedSequences(of name: CollectionName) -> SequenceSet? {
        collections.first { $0.plan.name == name }?.push?.completed
    }
}

/// A replicator's progress according to its last checkpoint.
public struct ReplicatorPosition: Hashable, Sendable {
    /// The server has all local changes up to this sequence; `nil` without a checkpoint.
    public var pushed: Int64?

    /// The local database has all of the server's changes up to this sequence of the server; `nil` without a checkpoint.
    public var pulled: String?

    /// Creates a position.
    public init(pushed: Int64? = nil, pulled: String? = nil) {
        self.pushed = pushed
        self.pulled = pulled
    }
}
