import Documents
import Gateway
import Logging
import NIOHTTP1
import Storage

/// Loads and saves both halves of one replication's checkpoint, and detects by them that the server was restored from a backup.
///
/// After a restoration the replication goes back to the position on which both halves agree; a push to the legacy upstream goes back to the
/// start. The server gets its lost revisions again, and revisions that it received since the restoration are fetched. The server's half is never
/// overwritten before this check.
actor CheckpointKeeper {
    /// How often a checkpoint that another client has changed is read and written again.
    private static let tries = 3

    let id: String
    let keyspace: Keyspace
    let remote: RemoteDatabase
    let direction: ReplicationDirection

    /// Invalidates the recorded feed of the legacy upstream; `nil` for other servers.
    let detector: UpstreamRestorationDetector?
    let logger: Logger

    /// Called when a restored server is detected. The run has to end then, except while it begins.
    private let restored: @Sendable (ReplicationError) -> Void
    private var remoteHalf = RemoteCheckpoint()

    /// The restores of the local store, whose sequences are in the checkpoint of a push; empty for a pull.
    private var restores = RestoreHistory()
    private(set) var identity = RemoteIdentity()
    private(set) var saved: String?

    /// The sequence of the last failed save of the server's half. The server may have stored it nevertheless.
    private var attempted: String?

    /// The number of restorations of the legacy upstream that were known when the run began.
    private(set) var restorations: Int64 = 0

    /// When the server was last checked.
    private var checked = ContinuousClock.now

    /// The restoration that was detected; nothing is saved afterwards.
    private(set) var restoration: ReplicationError?

    /// Local sequences after the start that the push must not offer.
    private(set) var passed: Set<Int64> = []

    /// Revisions that the server has had since the checkpoint was saved.
    var held = ConfirmedRevisions()

    /// Whether the server has already lost revisions after the saved position once.
    private(set) var isDisputed = false

    /// The sequence to save next.
    private var pending: String?
    private var saving: Task<Void, Never>?

    /// - Parameter restored: Called during ``load(initial:)`` for a run that continues, otherwise for a run that has to end.
    init(
        id: LegacyCheckpointID, direction: ReplicationDirection, keyspace: Keyspace, remote: RemoteDatabase, logger: Logger,
        restored: @escaping @Sendable (ReplicationError) -> Void
    ) {
        self.id = id.text
        self.direction = direction
        self.keyspace = keyspace
        self.remote = remote
        self.logger = logger
        self.restored = restored
        detector = remote.settings.isUpstream ? UpstreamRestorationDetector(keyspace: keyspace, source: remote.url.base) : nil
    }

    /// The store of the revisions that the server has refused; `nil` for a pull.
    private var parking: Parking? { direction == .push ? remote.settings.parking : nil }

    /// The position at which the replication continues; `nil` for the start.
    ///
    /// - Parameter initial: The local half of the replicator that this replication replaces.
    func load(initial: String?) async throws -> String? {
        if direction == .push { restores = try await keyspace.restores() }
        let half = try await readHalf()
        remoteHalf = half ?? RemoteCheckpoint()
        identity = try await describe()
        if detector != nil, let reached = identity.reached { try await keyspace.noteUpstreamReach(reached) }
        let kept = try await Self.local(id, in: keyspace)
        if let kept, let error = try await restoration(since: kept, half, from: kept.server, identity, read: kept.lastSequence) {
            restored(error)
        }
        checked = .now
        restorations = try await detector?.restorations ?? 0
        // The comparison may have changed it.
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

    /// - Returns: `nil` if it cannot be read. The replication then continues without the server's half, as Couchbase Lite does.
    private func readHalf(isRetried: Bool = true) async throws -> RemoteCheckpoint? {
        do {
            return try await Self.remoteHalf(id, of: remote, isRetried: isRetried).limited(to: restores)
        } catch let error as ReplicationError where error.isUnreadableCheckpoint {
            logger.warning("the server's checkpoint cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// The server's description of the database. A one-shot replication is too short to need it when it begins, unless the server is the legacy
    /// upstream, whose last sequence is needed.
    ///
    /// - Parameter suspectsChange: Whether there is a sign that the server may have changed.
    func describe(isRetried: Bool = true, suspectsChange: Bool = false) async throws -> RemoteIdentity {
        guard remote.settings.continuous || detector != nil || suspectsChange else { return RemoteIdentity() }
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

    /// Checks that the server has not been restored. Called after a lost connection, or after a period without requests.
    ///
    /// - Parameters:
    ///   - read: The position up to which the server's feed was read.
    ///   - isLost: Whether the connection was lost. Otherwise the check is skipped if one was made a moment ago.
    /// - Throws: ``ReplicationError``, with code `serverRestored` if the run has to begin again.
    func checkServer(read: OpaqueSequence? = nil, isLost: Bool = false) async throws {
        if let restoration { throw restoration }
        guard isLost || ContinuousClock.now - checked >= remote.limits.trustedSilence else { return }
        let before = remoteHalf
        // Read it before the request: a later value may be ahead of the server's answer.
        let read = read?.text ?? saved
        // The caller has its own back-off.
        let half = try await readHalf(isRetried: false)
        // The checkpoint was saved meanwhile: the server has just answered, and saving includes this check.
        guard before == remoteHalf else { return }
        let identity = try await describe(isRetried: false, suspectsChange: true)
        let error = try await restoration(since: before.asKnown, half, from: self.identity.name, identity, read: read)
        if let error { throw end(error) }
        guard try await detector?.restorations ?? 0 <= restorations || direction == .pull else {
            throw end(Self.error(remote, "found by the pull"))
        }
        if let half, before == remoteHalf { remoteHalf = half }
        checked = .now
    }

    /// Compares the server with the recorded state. After a restoration it resets the local half and invalidates the upstream feed's records.
    ///
    /// - Returns: The restoration; `nil` if the server has lost nothing.
    private func restoration(
        since known: LocalCheckpoint?, _ half: RemoteCheckpoint?, from server: String?, _ identity: RemoteIdentity, read: String?
    ) async throws -> ReplicationError? {
        let comparison = ServerComparison(
            known: known, there: half, server: server, identity: identity, read: direction == .pull ? read : nil)
        guard case .restored(let place, let why) = comparison.finding else {
            guard direction == .push, let why = try await checkUpstream(identity) else { return nil }
            try await Self.setLocal(nil, id, in: keyspace)
            return Self.error(remote, "found by the pull: \(why)")
        }
        switch direction {
        case .pull:
            try await detector?.recordRestoration(behind: place)
            try await Self.setLocal(place.map { LocalCheckpoint(agreed: $0) }, id, in: keyspace)
        case .push:
            if let detector, try await checkUpstream(identity) == nil { try await detector.recordUnsavedRestoration() }
            try await Self.setLocal(detector == nil ? place.map { LocalCheckpoint(agreed: $0) } : nil, id, in: keyspace)
        }
        return Self.error(remote, why)
    }

    private func checkUpstream(_ identity: RemoteIdentity) async throws -> String? {
        try await detector?.check(at: remote, identity) { try await self.describe(isRetried: false) }
    }

    /// Ends the run.
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
            "\(remote.url.base) was restored from a backup, or another server has replaced it (\(why)); both sides are compared again"
        )
    }

    /// Sets the sequence up to which all changes are done.
    func advance(to sequence: String) {
        if sequence != saved { pending = sequence }
    }

    /// Saves a changed checkpoint, even if the caller's task is cancelled. A failure is logged; it costs a new comparison of rows in the next
    /// run, but no transfer of bodies.
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
            try await resolveLastAttempt()
            // Revisions recorded from here on may be later than the server's half.
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
            // From here on, a half that is missing on the server is a loss.
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

    /// Finds out whether the last failed save reached the server. The server must have either the attempted half or the one before it; otherwise
    /// it was restored.
    private func resolveLastAttempt() async throws {
        guard let attempted else { return }
        let half = try await readHalf()
        if let half, half.lastSequence == attempted {
            // The half was stored, but whether the server has the revisions before it was not confirmed.
            remoteHalf = half
        } else if half != nil {
            try await compareHalf()
        }
        self.attempted = nil
    }

    private func saveRemoteHalf(_ sequence: String) async throws {
        // Sync Gateway refuses to overwrite a revision that the request does not name. CouchDB does not.
        if !remote.features.isSyncGateway, remoteHalf.lastSequence != nil { try await compareHalf() }
        for _ in 0..<Self.tries {
            do {
                let refused = try await parking?.refusedSequences(in: keyspace) ?? []
                var request = RemoteRequest(
                    "_local/\(id)", method: .PUT, json: remoteHalf.saving(sequence, refused: refused, restores: restores))
                request.isCompressible = false
                let answer = try JSONValue(try await remote.json(request))
                remoteHalf.recordSaved(sequence, refused: refused, restores: restores, as: answer["rev"]?.string)
                checked = .now
                return
            } catch let error as ReplicationError where error.code == .conflict && error.origin != .intermediary {
                try await compareHalf()
            } catch let error as ReplicationError where error.code == .notFound && error.origin != .intermediary {
                try await compareHalf()
                remoteHalf.revision = nil
            }
        }
        throw ReplicationError(.conflict, "Another client keeps changing the server's checkpoint \(id)")
    }

    /// Sets the server's half back, which was written a moment before the server was found restored.
    ///
    /// The local half suffices until the local store is restored from a backup, too. It then has an earlier position, and the server's half would
    /// confirm everything up to that position, although the restored server has assigned these sequences to other changes.
    func withdraw(to place: String) async {
        do {
            var request = RemoteRequest(
                "_local/\(id)", method: .PUT, json: remoteHalf.saving(place, refused: remoteHalf.refused, restores: restores))
            request.isCompressible = false
            let answer = try JSONValue(try await remote.json(request))
            remoteHalf.recordSaved(place, refused: remoteHalf.refused, restores: restores, as: answer["rev"]?.string)
        } catch {
            logger.warning("the server's checkpoint cannot be set back", metadata: ["error": "\(error)"])
        }
    }

    /// Reads and compares the server's half before it is overwritten.
    ///
    /// - Throws: ``ReplicationError`` with code `serverRestored` if the server was restored, and with `forbidden` if the server denies access to
    ///   its half: then the half was not lost, and must not be overwritten.
    private func compareHalf() async throws {
        let half: RemoteCheckpoint
        do {
            half = try await Self.remoteHalf(id, of: remote).limited(to: restores)
        } catch let error as ReplicationError where error.isUnreadableCheckpoint && error.code != .forbidden {
            logger.warning("the server's checkpoint cannot be read", metadata: ["error": "\(error)"])
            half = RemoteCheckpoint()
        }
        let error = try await restoration(since: remoteHalf.asKnown, half, from: identity.name, identity, read: nil)
        if let error { throw end(error) }
        remoteHalf = half
    }
}
