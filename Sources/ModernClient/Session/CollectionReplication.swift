import BLIP
import Gateway
import ModernProtocol

/// One collection of a replicator's connection, with the state of its push and pull. Isolated to its session.
final class CollectionReplication {
    let plan: ReplicationPlan.Collection

    /// The value of the `collection` property; `nil` if messages name no collection.
    let index: String?

    /// The checkpoint that both sides have saved, and its revision on the server.
    var saved: ReplicationCheckpoint
    var serverRevision: String?
    var isSaving = false

    var push: PushSession?
    var pull: PullSession?

    // Pending work of the push.
    var toPropose: [LocalChange] = []
    var toExamine: [LocalChange] = []
    var toSend: [LocalChange] = []
    var proposalsInFlight = 0
    var bytesInFlight = 0

    /// The maximum length of a history that the server accepts.
    var maxHistory = ModernHistory.defaultLimit

    /// Whether the local feed has been read to its end, and whether a one-shot push has read all of its changes.
    var isPushCaughtUp = false
    var isPushDone = false

    /// The number of commits that may contain changes to push.
    var commits = 0

    /// The number of conflict resolutions that the push has written to the local database.
    var resolutions = 0

    /// For a pull without a push: local sequences of documents that are unchanged since they were pulled. Documents with other sequences
    /// were edited locally.
    var followed: SequenceSet

    // Pending work of the pull.
    var changes: [(number: UInt64, rows: [RemoteChange])] = []
    var inbox: [ReceivedRev] = []
    var revisionsAwaitingAttachments = 0

    /// Received deltas that have not been applied, the number of deltas that are being applied, and the rows whose deltas could not be
    /// applied.
    var deltas: [IncomingDelta] = []
    var deltasUnderWay = 0
    var refusedDeltas: Set<String> = []

    /// Whether the server accepts deltas.
    var serverAcceptsDeltas = false

    /// Whether the server, which has versions, also accepts a revision's tree IDs, and the tree revisions recorded for other clients.
    var serverAcceptsTrees = false
    var serverAcceptsClients = false

    var isAnswering = false
    var isWriting = false

    /// Outcomes that have not been written to the list of parked revisions, and whether that list needs successes too.
    var outcomes: [ParkingOutcome] = []
    var hasParked = false
    var isParking = false

    /// The sequences of conflicts that were parked over this connection. Each is parked once per connection.
    var parkedConflicts: Set<Int64> = []

    /// Document outcomes that have not been reported to the application.
    var pushed: [ReplicatedDocument] = []
    var pulled: [ReplicatedDocument] = []

    init(_ plan: ReplicationPlan.Collection, index: Int?) {
        self.plan = plan
        self.index = index.map(String.init)
        saved = plan.saved ?? ReplicationCheckpoint(restores: plan.restores)
        followed = plan.followed
    }

    var keyspace: Keyspace { plan.keyspace }
    var configuration: ReplicatorConfiguration.CollectionConfiguration { plan.configuration }

    /// The first properties of a request about this collection.
    var properties: BLIPProperties {
        var properties = BLIPProperties()
        if let index { properties.add("collection", index) }
        return properties
    }

    /// The current progress, which may be saved as a checkpoint.
    var checkpoint: ReplicationCheckpoint {
        ReplicationCheckpoint(
            local: push?.completed ?? saved.local, remote: pull.map { $0.progress.checkpoint } ?? saved.remote, restores: plan.restores)
    }

    /// Whether the pull has work or waits for the server.
    var isPulling: Bool {
        guard let pull else { return false }
        return !pull.isCaughtUp || pull.pending > 0 || !changes.isEmpty || isAnswering || isStoring
    }

    /// Changes that wait for the pull and have not been parked.
    var unparkedConflicts: [PushSession.Finished] {
        push?.conflicts.filter { !parkedConflicts.contains($0.change.sequence) } ?? []
    }

    /// Whether received revisions are not stored yet.
    var isStoring: Bool { !inbox.isEmpty || isWriting || !deltas.isEmpty || deltasUnderWay > 0 }

    func isPushing(isContinuous: Bool) -> Bool {
        guard let push else { return false }
        return !(isContinuous ? isPushCaughtUp : isPushDone) || !push.isIdle
    }
}
