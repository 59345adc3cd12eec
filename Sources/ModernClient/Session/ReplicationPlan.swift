import BLIP
import Foundation
import Gateway
import ModernProtocol
import Storage

/// The task of one connection of a replicator.
struct ReplicationPlan: Sendable {
    /// One collection of the connection.
    struct Collection: Sendable {
        let replicated: ReplicatedCollection

        /// The name of the collection's checkpoint, in the local database and on the server.
        let checkpointID: String

        /// The locally saved checkpoint; `nil` if there is none.
        let saved: ReplicationCheckpoint?

        /// The restores of the local store.
        var restores = RestoreHistory()

        /// For a pull without a push: local sequences of documents that are unchanged since they were pulled.
        var followed = SequenceSet()

        var keyspace: Keyspace { replicated.keyspace }
        var name: CollectionName { replicated.name }
        var configuration: ReplicatorConfiguration.CollectionConfiguration { replicated.configuration }
    }

    let type: ReplicatorType
    let isContinuous: Bool
    let enablesAutoPurge: Bool

    /// Whether revisions may be sent and received as deltas.
    var usesDeltas = false
    let collections: [Collection]
    var parking: Parking?
    var keepsCheckpoints = true

    /// The time for checkpoints, in seconds since 1970.
    var now: @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }

    /// Whether messages name the default collection even if it is the only one.
    var namesDefault = false

    /// The name of the local document that stores ``Collection/followed``. It is never sent to the server.
    static func followedID(_ checkpointID: String) -> String { "\(checkpointID):followed" }

    /// Whether messages name no collection, because only the default collection is replicated. Servers of all versions support this, except
    /// the listeners of Couchbase Lite 3.4.
    var isUnnamed: Bool {
        !namesDefault && collections.count == 1 && collections[0].name == .default
    }
}

/// The limits of a replicator. Where LiteCore has a limit, this is LiteCore's number (docs/protocol/modern-2x.md#client-limits), except for
/// limits that would slow down a connection to a distant server.
struct ReplicatorLimits: Sendable {
    /// The limits that a replicator shares with a listener.
    var session: SessionLimits

    /// The maximum number of rows in one `proposeChanges`, and of such messages without a reply.
    var rowsInProposal = 200
    var proposalsInFlight = 5

    /// The maximum number of changes that are being proposed or sent.
    var changesUnderWay = 2_000

    /// The number of bytes of sent revisions without a reply beyond which no more revisions are sent.
    var bytesAwaitingReply = 4 << 20

    /// The number of rows that the server is asked to send in one `changes`. LiteCore requests 200. If a server keeps three messages in
    /// flight, more rows hide the latency of the connection. Many more rows would exceed the bytes that BLIP sends without an
    /// acknowledgement (128 kB), which takes a round trip.
    var rowsInChanges = 1_500

    /// The maximum number of rows in one accepted `changes`.
    var maxRowsInChanges = 20_000

    /// The number of requested revisions that are not stored beyond which `changes` get no reply. The session limits the received revisions
    /// that wait to be written, so these cost only their IDs.
    var revisionsRequested = 15_000

    /// The maximum number of `changes` that wait for a reply. Servers send at most five.
    var changesWaiting = 100

    /// The maximum number of ancestors per row in a reply to `changes`.
    var ancestors = 10

    /// The delay between a change and the saving of a checkpoint.
    var checkpointInterval = Duration.seconds(5)

    /// The maximum time for a stopped replicator to store the received revisions and to wait until the server has saved its checkpoint.
    var stopTimeout = Duration.seconds(5)

    init() {
        session = SessionLimits()
        // A document over the storage limit does not block other documents. A document over this limit ends the connection.
        session.blip.maxBodySize = 64 << 20
    }
}
