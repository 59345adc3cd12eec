import BLIP
import Foundation
import Gateway
import ModernProtocol

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

/// What a replicator asks for, holds and sends at a time. Where LiteCore has a number it is LiteCore's (docs/protocol/modern-2x.md#client-limits),
/// but for those that would make a distant server wait.
struct ReplicationLimits: Sendable {
    /// What it has in common with a listener.
    var session: SessionLimits

    /// The rows of one `proposeChanges`, and the most of them that are unanswered.
    var rowsInProposal = 200
    var proposalsInFlight = 5

    /// The most changes that are being proposed or sent.
    var changesUnderWay = 2_000

    /// Bytes of revisions that were sent and are unanswered beyond which no more are sent.
    var bytesAwaitingReply = 4 << 20

    /// The rows that the server is asked to put into one `changes`. LiteCore asks for 200; with a server that keeps three messages under
    /// way, more of them hide the delay of a long line. Many more would not fit into what BLIP sends without an acknowledgement (128 kB), which
    /// takes a round trip.
    var rowsInChanges = 1_500

    /// The most rows of one `changes` that are taken.
    var maxRowsInChanges = 20_000

    /// Revisions that were asked for and have not been stored beyond which `changes` are not answered. What has come and waits to be written
    /// is bounded by the session, so these cost their IDs.
    var revisionsRequested = 15_000

    /// The most `changes` that wait for an answer. Servers send at most five.
    var changesWaiting = 100

    /// How many ancestors an answer to `changes` names.
    var ancestors = 10

    /// How long after a change a checkpoint is saved.
    var checkpointInterval = Duration.seconds(5)

    /// How long a replicator that was stopped may take to store what has come, and waits for the server to keep its checkpoint.
    var stopTimeout = Duration.seconds(5)

    init() {
        session = SessionLimits()
        // One document is in the way of no other, but one that is larger than any that can be stored ends the connection.
        session.blip.maxBodySize = 64 << 20
    }
}
