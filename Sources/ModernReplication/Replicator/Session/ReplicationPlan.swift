import Foundation
import Gateway

/// What one connection of a replicator is to do.
struct ReplicationPlan: Sendable {
    /// One collection of it.
    struct Collection: Sendable {
        let replicated: ReplicatedCollection

        /// The name of its checkpoint, here and on the server.
        let checkpointID: String

        /// The checkpoint as it was saved here; `nil` if there is none.
        let saved: ReplicationCheckpoint?

        /// For a pull without a push: where documents stand in the local feed that are here as the server had them.
        var followed = SequenceSet()

        var keyspace: Keyspace { replicated.keyspace }
        var name: CollectionName { replicated.name }
        var configuration: ReplicatorConfiguration.CollectionConfiguration { replicated.configuration }
    }

    let type: ReplicatorType
    let isContinuous: Bool
    let enablesAutoPurge: Bool

    /// Whether revisions may go and come as deltas.
    var usesDeltas = false
    let collections: [Collection]
    var parking: Parking?
    var keepsCheckpoints = true

    /// The time as checkpoints say it, in seconds since 1970.
    var now: @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }

    /// Whether the default collection is named although there is no other.
    var namesDefault = false

    /// The name under which ``Collection/followed`` is kept, here alone.
    static func followedID(_ checkpointID: String) -> String { "\(checkpointID):followed" }

    /// Whether messages name no collection, because there is only the default one: what servers of all ages understand, but for the listeners of
    /// Couchbase Lite 3.4.
    var isUnnamed: Bool {
        !namesDefault && collections.count == 1 && collections[0].name == .default
    }
}
