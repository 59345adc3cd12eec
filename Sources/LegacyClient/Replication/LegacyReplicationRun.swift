import Coordination
import Documents
import Gateway
import Logging
import Storage

/// One run of a replication, from the login to its end.
struct LegacyReplicationRun: Sendable {
    let keyspace: Keyspace
    let url: RemoteURL
    let direction: ReplicationDirection
    let settings: ReplicationSettings
    let limits: ReplicationLimits
    let clock: any Clock<Duration>
    let stopSignal = StopSignal()
    let logger: Logger

    /// Sends the requests; `nil` for HTTP.
    var transport: (any RemoteTransport)?
    let report: @Sendable (ReplicationEvent) -> Void

    /// Replicates until all changes are done. A continuous replication does not end by itself.
    ///
    /// When ``stopSignal`` is raised, transfers in progress are finished; when the task is cancelled, they are cancelled. In both cases received
    /// documents are stored and the checkpoint is saved.
    ///
    /// - Throws: ``ReplicationError``; `CancellationError`.
    func run() async throws {
        let remote = try RemoteDatabase(
            url, settings: settings, limits: limits, clock: clock, stopSignal: stopSignal, transport: transport)
        let limit = limits.lastCheckpointTime
        do {
            try await withTaskCancellationHandler {
                try await replicate(remote)
            } onCancel: {
                Task {
                    // Wait a limited time for the checkpoint, then close: a silent server must not block the end.
                    try? await suspend(for: limit)
                    await remote.close()
                }
            }
        } catch {
            await close(remote)
            throw error
        }
        await close(remote)
    }

    /// Closes the connection and reports the bytes of the last checkpoints.
    private func close(_ remote: RemoteDatabase) async {
        await remote.close()
        report(.progress(bytes: remote.takeBytes()))
    }

    private func replicate(_ remote: RemoteDatabase) async throws {
        let id = try await checkpointID
        let isLoaded = Lock(false)
        let keeper = CheckpointKeeper(id: id, direction: direction, keyspace: keyspace, remote: remote, logger: logger) { error in
            report(.restored(error))
            // A run that has not begun continues from the corrected position.
            if isLoaded.withLock({ $0 }) { stopSignal.raise() }
        }
        let since = try await stopSignal.interrupting {
            try await remote.logIn()
            if settings.isUpstream, direction == .pull {
                try await UpstreamRestorationDetector(keyspace: keyspace, source: url.base).recordPullCheckpoint(id)
            }
            return try await keeper.load(initial: settings.initialSequence)
        }
        isLoaded.withLock { $0 = true }
        report(.connected)
        let interval = limits.checkpointInterval
        let (clock, signal) = (clock, stopSignal)
        let saver = Task {
            while (try? await signal.interrupting { try await clock.sleep(for: interval) }) != nil { await keeper.save() }
        }
        do {
            try await transfer(since, remote, keeper)
        } catch {
            await end(saver, keeper)
            throw await keeper.restoration ?? error
        }
        await end(saver, keeper)
        if let restoration = await keeper.restoration { throw restoration }
    }

    private func end(_ saver: Task<Void, Never>, _ keeper: CheckpointKeeper) async {
        saver.cancel()
        await saver.value
        await keeper.save()
    }

    private func transfer(_ since: String?, _ remote: RemoteDatabase, _ keeper: CheckpointKeeper) async throws {
        switch direction {
        case .pull:
            try await PullReplicator(
                keyspace: keyspace, remote: remote, keeper: keeper, isContinuous: settings.continuous, report: report
            ).run(since: since)
        case .push:
            try await PushReplicator(
                keyspace: keyspace, remote: remote, keeper: keeper, isContinuous: settings.continuous, report: report
            ).run(since: since)
        }
    }

    var checkpointID: LegacyCheckpointID {
        get async throws {
            let localUUID: String
            if let given = settings.localUUID { localUUID = given } else { localUUID = try await keyspace.localUUID }
            return LegacyCheckpointID(localUUID: localUUID, direction: direction, settings: settings, remoteURL: url.text)
        }
    }
}

extension Keyspace {
    /// The equivalent of the `privateUUID` of a Couchbase Lite 1.x database: the store's UUID, with the name of a collection that is replicated
    /// by itself.
    fileprivate var localUUID: String {
        get async throws {
            let digits = Hex.text(try await databaseUUID()).uppercased()
            return scope == .unified ? digits : "\(digits).\(name)"
        }
    }
}
