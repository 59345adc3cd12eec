import Documents
import Gateway
import Logging
import NIOHTTP1

/// Loads and saves both halves of one replication's checkpoint, and sees by them whether the server was restored from a backup.
///
/// What a restored server has lost it gets again, and what it was given since is fetched: the replication goes on where both sides agree, a push to the
/// legacy upstream at the start. The server's half is never written before that has been looked at.
actor CheckpointKeeper {
    /// How often a checkpoint that somebody else has changed is read and written again.
    private static let tries = 3

    let id: String
    let keyspace: Keyspace
    let remote: RemoteDatabase
    let direction: ReplicationDirection

    /// What the legacy upstream's feed has shown; `nil` where the server is not that.
    let witness: UpstreamRestorationDetector?
    let logger: Logger

    /// Told when the server was found restored. The run has to end then, except while it begins.
    private let restored: @Sendable (ReplicationError) -> Void
    private var remoteHalf = RemoteCheckpoint()
    private(set) var identity = RemoteIdentity()
    private(set) var saved: String?

    /// What was to be saved at the server last, where that failed: the server may have it all the same.
    private var attempted: String?

    /// How often the legacy upstream had been found restored when the run began.
    private(set) var restorations: Int64 = 0

    /// When the server was last looked at.
    private var looked = ContinuousClock.now

    /// Why nothing is saved any more.
    private(set) var restoration: ReplicationError?

    /// Places behind the start of which nothing is to be offered.
    private(set) var passed: Set<Int64> = []

    /// Revisions that the server has had since the checkpoint was saved.
    var held = ConfirmedRevisions()

    /// Whether the server has lost before what it is given behind the place that was saved.
    private(set) var isDisputed = false

    /// What is to be saved next.
    private var pending: String?
    private var saving: Task<Void, Never>?

    /// - Parameter restored: Called during ``load(initial:)`` for a run that goes on, otherwise for one that has to end.
    init(
        id: CheckpointID, direction: ReplicationDirection, keyspace: Keyspace, remote: RemoteDatabase, logger: Logger,
        restored: @escaping @Sendable (ReplicationError) -> Void
    ) {
        self.id = id.text
        self.direction = direction
        self.keyspace = keyspace
        self.remote = remote
        self.logger = logger
        self.restored = restored
        witness = remote.settings.isUpstream ? UpstreamRestorationDetector(keyspace: keyspace, source: remote.url.base) : nil
    }

    /// Where the revisions are that the server has refused; `nil` for a pull.
    private var parking: Parking? { direction == .push ? remote.settings.parking : nil }

    /// Where the replication goes on; `nil` for the start.
    ///
    /// - Parameter initial: The local half of the replicator in whose place this one was put.
    func load(initial: String?) async throws -> String? {
        let half = try await readHalf()
        remoteHalf = half ?? RemoteCheckpoint()
        identity = try await describe()
        if witness != nil, let reached = identity.reached { try await keyspace.noteUpstreamReach(reached) }
        let kept = try await Self.local(id, in: keyspace)
        if let kept, let error = try await restoration(since: kept, half, from: kept.server, identity, read: kept.lastSequence) {
            restored(error)
        }
        looked = .now
        restorations = try await witness?.restorations ?? 0
        // What was found may have changed it.
        let local = kept == nil ? initial.map { LocalCheckpoint(lastSequence: $0) } : try await Self.local(id, in: keyspace)
        if direction == .push, let local, kept != nil, local.restorations ?? 0 < restorations { return nil }
        isDisputed = local?.isDisputed ?? false
        saved = kept == nil ? local?.reconciled(with: remoteHalf.lastSequence) : local?.confirmed(by: remoteHalf.lastSequence)
        if let parking, let agreed = saved.flatMap({ Int64($0) }), !remoteHalf.refused.isEmpty {
            let again = RefusedPlaces(before: remoteHalf.refused, now: try await parking.refusedSequences(in: keyspace), upTo: agreed)
            saved = again.start.map { String($0) } ?? saved
            passed = again.passed
        }
        return saved
    }

    /// - Returns: `nil` if it cannot be read. The replication goes on without the server's half then, as Couchbase Lite's does.
    private func readHalf(isRetried: Bool = true) async throws -> RemoteCheckpoint? {
        do {
            return try await Self.remoteHalf(id, of: remote, isRetried: isRetried)
        } catch let error as ReplicationError where error.isUnreadableCheckpoint {
            logger.warning("the server's checkpoint cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// What the server says of the database. A one-shot replication is not there long enough to need it when it begins, but for the old
    /// server's numbers.
    ///
    /// - Parameter isLooking: Whether something has come up that may be due to another server.
    func describe(isRetried: Bool = true, isLooking: Bool = false) async throws -> RemoteIdentity {
        guard remote.settings.continuous || witness != nil || isLooking else { return RemoteIdentity() }
        var request = RemoteRequest("")
        request.isRetried = isRetried
        do {
            let answer = try await remote.json(request)
            guard let info = try? JSONValue(answer) else { return RemoteIdentity() }
            return RemoteIdentity(info, of: remote.features)
        } catch let error as ReplicationError where error.remedy == .change {
            return RemoteIdentity()
        }
    }

    /// Sees whether the server still has what it had. For whoever has lost the connection, or has said nothing for a while.
    ///
    /// - Parameters:
    ///   - read: Up to where the server's feed was read.
    ///   - isLost: Whether the connection was lost; otherwise the server is looked at if that was not done a moment ago.
    /// - Throws: ``ReplicationError``, with code `serverRestored` if the run has to begin anew.
    func look(read: RemoteSequence? = nil, isLost: Bool = false) async throws {
        if let restoration { throw restoration }
        guard isLost || ContinuousClock.now - looked >= remote.limits.trustedSilence else { return }
        let before = remoteHalf
        // As it is now: what is read while the server answers may be behind its answer.
        let read = read?.text ?? saved
        // Whoever looks waits by itself.
        let half = try await readHalf(isRetried: false)
        // Saved meanwhile: the server has just answered, and the writing has looked.
        guard before == remoteHalf else { return }
        let identity = try await describe(isRetried: false, isLooking: true)
        let error = try await restoration(since: before.asKnown, half, from: self.identity.name, identity, read: read)
        if let error { throw end(error) }
        guard try await witness?.restorations ?? 0 <= restorations || direction == .pull else {
            throw end(Self.error(remote, "the pull has found that"))
        }
        if let half, before == remoteHalf { remoteHalf = half }
        looked = .now
    }

    /// Compares, and carries out what follows: the half here goes back, and what upstream has shown is forgotten.
    ///
    /// - Returns: What was found; `nil` if the server has what it had.
    private func restoration(
        since known: LocalCheckpoint?, _ half: RemoteCheckpoint?, from server: String?, _ identity: RemoteIdentity, read: String?
    ) async throws -> ReplicationError? {
        let comparison = ServerComparison(
            known: known, there: half, server: server, identity: identity, read: direction == .pull ? read : nil)
        guard case .restored(let place, let why) = comparison.finding else {
            guard direction == .push, let why = try await lookByWitness(identity) else { return nil }
            try await Self.setLocal(nil, id, in: keyspace)
            return Self.error(remote, "the pull's: \(why)")
        }
        switch direction {
        case .pull:
            try await witness?.noteRestoration(behind: place)
            try await Self.setLocal(place.map { LocalCheckpoint(agreed: $0) }, id, in: keyspace)
        case .push:
            if let witness, try await lookByWitness(identity) == nil { try await witness.noteRestorationUnsaved() }
            try await Self.setLocal(witness == nil ? place.map { LocalCheckpoint(agreed: $0) } : nil, id, in: keyspace)
        }
        return Self.error(remote, why)
    }

    private func lookByWitness(_ identity: RemoteIdentity) async throws -> String? {
        try await witness?.look(at: remote, identity) { try await self.describe(isRetried: false) }
    }

    /// Has the run come to its end.
    func end(_ error: ReplicationError) -> ReplicationError {
        guard restoration == nil else { return error }
        restoration = error
        pending = nil
        restored(error)
        return error
    }

    static func error(_ remote: RemoteDatabase, _ why: String) -> ReplicationError {
        ReplicationError(
            .serverRestored,
            "\(remote.url.base) is not what it was (\(why)): it was restored from a backup, or another server has taken its place; both sides are compared anew"
        )
    }

    /// Notes how far everything has been dealt with.
    func advance(to sequence: String) {
        if sequence != saved { pending = sequence }
    }

    /// Saves what has changed, even if the caller's task is cancelled. What goes wrong costs rows when the replication begins anew, and no
    /// bodies; it is logged.
    func save() async {
        while let saving { await saving.value }
        guard restoration == nil, let sequence = pending else { return }
        pending = nil
        let task = Task { await self.save(sequence) }
        saving = task
        await task.value
    }

    private func save(_ sequence: String) async {
        do {
            try await settle()
            // What comes from now on may be later than the server's half.
            let number = held.next
            var checkpoint = LocalCheckpoint(lastSequence: sequence, previous: saved)
            checkpoint.revision = (remoteHalf.revisionNumber ?? 0) + 1
            checkpoint.server = identity.name
            checkpoint.restorations = restorations > 0 ? restorations : nil
            checkpoint.isDisputed = isDisputed
            try await Self.setLocal(checkpoint, id, in: keyspace)
            attempted = sequence
            try await saveRemoteHalf(sequence)
            attempted = nil
            try await confirm(upTo: sequence)
            held.removeAll(before: number)
            // From now on a half that is missing there was lost.
            checkpoint.previous = sequence
            checkpoint.isDisputed = false
            try await Self.setLocal(checkpoint, id, in: keyspace)
            saved = sequence
            isDisputed = false
        } catch {
            if restoration == nil {
                logger.warning("a checkpoint cannot be saved", metadata: ["error": "\(error)"])
                pending = pending ?? sequence
            }
        }
        saving = nil
    }

    /// Finds out what became of the last attempt, before there is another one: of the half here and the one before it, the server has to have one, or it has
    /// lost what it had.
    private func settle() async throws {
        guard let attempted else { return }
        let half = try await readHalf()
        if let half, half.lastSequence == attempted {
            // Nobody has seen yet that the server has kept what it had before.
            remoteHalf = half
        } else if half != nil {
            try await compareHalf()
        }
        self.attempted = nil
    }

    private func saveRemoteHalf(_ sequence: String) async throws {
        // Sync Gateway refuses to write over what it was not told of. CouchDB does not.
        if !remote.features.isSyncGateway, remoteHalf.lastSequence != nil { try await compareHalf() }
        for _ in 0..<Self.tries {
            do {
                let refused = try await parking?.refusedSequences(in: keyspace) ?? []
                var request = RemoteRequest("_local/\(id)", method: .PUT, json: remoteHalf.saving(sequence, refused: refused))
                request.isCompressible = false
                let answer = try JSONValue(try await remote.json(request))
                remoteHalf.noteSaved(sequence, refused: refused, as: answer["rev"]?.string)
                looked = .now
                return
            } catch let error as ReplicationError where error.code == .conflict && error.origin != .intermediary {
                try await compareHalf()
            } catch let error as ReplicationError where error.code == .notFound && error.origin != .intermediary {
                try await compareHalf()
                remoteHalf.revision = nil
            }
        }
        throw ReplicationError(.conflict, "The server's checkpoint \(id) is changed by somebody else all the time")
    }

    /// Reads the server's half before it is written over.
    ///
    /// - Throws: ``ReplicationError`` with code `serverRestored` if the server has lost what it had, and with `forbidden` if it keeps its half back: then
    ///   it was not lost, and is not to be written over.
    private func compareHalf() async throws {
        let half: RemoteCheckpoint
        do {
            half = try await Self.remoteHalf(id, of: remote)
        } catch let error as ReplicationError where error.isUnreadableCheckpoint && error.code != .forbidden {
            logger.warning("the server's checkpoint cannot be read", metadata: ["error": "\(error)"])
            half = RemoteCheckpoint()
        }
        let error = try await restoration(since: remoteHalf.asKnown, half, from: identity.name, identity, read: nil)
        if let error { throw end(error) }
        remoteHalf = half
    }
}
