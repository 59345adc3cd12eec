import BLIP
import Gateway
import ModernProtocol

/// One collection of a replicator's connection, and what is under way with it. Belongs to its session.
final class CollectionReplication {
    let plan: ReplicationPlan.Collection

    /// How messages name it; `nil` where they do not.
    let index: String?

    /// The checkpoint as both sides have it, and the revision that the server has given it.
    var saved: ReplicationCheckpoint
    var serverRevision: String?
    var isSaving = false

    var push: PushSession?
    var pull: PullSession?

    // What the push has to do next.
    var toPropose: [LocalChange] = []
    var toExamine: [LocalChange] = []
    var toSend: [LocalChange] = []
    var proposalsInFlight = 0
    var bytesInFlight = 0

    /// The longest history that the server wants.
    var maxHistory = ModernHistory.defaultLimit

    /// Whether the local feed has been read to its end, and for a one-shot push whether that was all.
    var isPushCaughtUp = false
    var isPushDone = false

    /// Counts the commits that may have brought something to push.
    var commits = 0

    /// Counts what the push itself has written here: resolutions of conflicts that it came upon.
    var resolutions = 0

    /// For a pull without a push: places in the local feed of documents that are here as the server had them. Others were edited here.
    var followed: SequenceSet

    // What the pull has to do next.
    var changes: [(number: UInt64, rows: [RemoteChange])] = []
    var inbox: [PulledRevision] = []
    var revisionsAwaitingAttachments = 0

    /// Revisions that came as deltas and wait to be made whole, those that are being made whole, and the rows whose deltas did not fit.
    var deltas: [IncomingDelta] = []
    var deltasUnderWay = 0
    var refusedDeltas: Set<String> = []

    /// Whether the server takes deltas.
    var serverAcceptsDeltas = false

    /// Whether the server, which knows versions, wants a revision's IDs in the tree as well, and what clients remember of documents.
    var serverAcceptsTrees = false
    var serverAcceptsClients = false

    var isAnswering = false
    var isWriting = false

    /// What became of revisions since the list of parked ones was last written, and whether that list needs to hear of successes.
    var notes: [ParkingOutcome] = []
    var hasParked = false
    var isParking = false

    /// Conflicts that were noted, by their sequences: once a connection is enough.
    var parkedConflicts: Set<Int64> = []

    /// What became of documents since the application was last told.
    var pushed: [ReplicatedDocument] = []
    var pulled: [ReplicatedDocument] = []

    init(_ plan: ReplicationPlan.Collection, index: Int?) {
        self.plan = plan
        self.index = index.map(String.init)
        saved = plan.saved ?? ReplicationCheckpoint()
        followed = plan.followed
    }

    var keyspace: Keyspace { plan.keyspace }
    var configuration: ReplicatorConfiguration.CollectionConfiguration { plan.configuration }

    /// The start of the properties of a request about this collection.
    var properties: BLIPProperties {
        var properties = BLIPProperties()
        if let index { properties.add("collection", index) }
        return properties
    }

    /// How far it has come: what may be saved.
    var checkpoint: ReplicationCheckpoint {
        ReplicationCheckpoint(
            local: push?.completed ?? saved.local, remote: pull.map { $0.progress.checkpoint } ?? saved.remote)
    }

    /// Whether the pull has something to do or to wait for.
    var isPulling: Bool {
        guard let pull else { return false }
        return !pull.isCaughtUp || pull.pending > 0 || !changes.isEmpty || isAnswering || isStoring
    }

    /// Changes that wait for the pull, and are not noted yet.
    var unparkedConflicts: [PushSession.Finished] {
        push?.conflicts.filter { !parkedConflicts.contains($0.change.sequence) } ?? []
    }

    /// Whether revisions that have come are not stored yet.
    var isStoring: Bool { !inbox.isEmpty || isWriting || !deltas.isEmpty || deltasUnderWay > 0 }

    func isPushing(isContinuous: Bool) -> Bool {
        guard let push else { return false }
        return !(isContinuous ? isPushCaughtUp : isPushDone) || !push.isIdle
    }
}
