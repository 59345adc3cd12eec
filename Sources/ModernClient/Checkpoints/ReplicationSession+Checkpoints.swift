import BLIP
import Coordination
import Gateway
import Logging
import ModernProtocol
import Storage

extension ReplicationSession {
    /// The maximum number of attempts to save a checkpoint that another replication has changed.
    private static var checkpointTries: Int { 3 }

    /// Saves changed checkpoints, each with a delay.
    func saveRegularly() async {
        while !isEnded, plan.keepsCheckpoints {
            while !isEnded, collections.allSatisfy({ $0.checkpoint == $0.saved }) { await changed.wait() }
            guard !isEnded, (try? await clock.sleep(for: replicatorLimits.checkpointInterval)) != nil else { return }
            await saveCheckpoints()
        }
    }

    /// Saves changed checkpoints, first on the server and then locally. Neither is ever ahead of the data, which is durable.
    func saveCheckpoints() async {
        guard plan.keepsCheckpoints else {
            for collection in collections { collection.saved = collection.checkpoint }
            return
        }
        for collection in collections {
            while collection.isSaving, !isEnded { await changed.wait() }
            guard !isEnded, collection.checkpoint != collection.saved else { continue }
            collection.isSaving = true
            do {
                try await save(collection)
            } catch let error as ReplicatorError where error.code == .httpServiceUnavailable || error.code == .forbidden {
                finish(.failed(error))
            } catch is BLIPRequestError where isEnded {
                // The connection has ended. The checkpoint is behind the data, which costs rows but no bodies.
            } catch {
                logger.warning("a checkpoint cannot be saved", metadata: ["error": "\(error)"])
                // Do not retry before the next change.
                collection.saved = collection.checkpoint
            }
            collection.isSaving = false
            changed.notifyAll()
        }
    }

    private func save(_ collection: CollectionReplication) async throws {
        var checkpoint = collection.checkpoint
        // Revisions that were refused before this checkpoint are parked first.
        try await park(collection)
        let refused = try await refused(collection)
        let id = collection.plan.checkpointID
        for _ in 0..<Self.checkpointTries {
            let time = plan.now()
            let body = checkpoint.without(refused).body(time: time)
            let reply = try await ask(
                SetCheckpoint.request(id, revision: collection.serverRevision, body: body, collection.properties))
            if reply.type == .reply {
                collection.serverRevision = reply.properties["rev"]
                if !plan.type.pushes {
                    // This comes first: a document that is wrongly treated as edited would produce a revision without an edit.
                    let followed = ReplicationCheckpoint(local: collection.followed)
                    try await collection.keyspace.setReplicatorState(followed.body(time: time), id: ReplicationPlan.followedID(id))
                }
                try await collection.keyspace.setReplicatorState(checkpoint.body(time: time), id: id)
                collection.saved = checkpoint
                return
            }
            switch (reply.errorDomain, reply.errorCode) {
            case ("HTTP", 409):
                // A replication in the other direction may store its half in the same checkpoint.
                let kept = try GetCheckpoint.found(in: try await ask(GetCheckpoint.request(id, collection.properties)))
                collection.serverRevision = kept?.revision
                if let kept { checkpoint = checkpoint.merged(with: kept.checkpoint, type: plan.type) }
            case ("HTTP", 404): collection.serverRevision = nil
            default: throw ReplicatorError(reply, to: "setCheckpoint")
            }
        }
        throw ReplicatorError(.httpConflict, "Another client keeps changing the server's checkpoint \(id)")
    }
}

extension Keyspace {
    /// The body of a replicator's local state by its name; `nil` if there is none.
    func replicatorState(_ id: String) async throws -> [UInt8]? {
        try await localDocument(.replicator, id: id)?.body
    }

    /// Stores a replicator's local state; `nil` removes it.
    func setReplicatorState(_ body: [UInt8]?, id: String) async throws {
        while true {
            let current = try await localDocument(.replicator, id: id)
            guard body != nil || current != nil else { return }
            do {
                _ = try await setLocalDocument(.replicator, id: id, body: body, expected: current.map { "0-\($0.revision)" })
                return
            } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
                // Another replicator with the same name has written meanwhile.
                continue
            }
        }
    }
}
