import Coordination
package import Gateway
import HTTP
package import Logging

/// Replicates documents between a local keyspace and a database on a 1.x server, in one direction: Couchbase Lite 1.x's `Replication`.
///
/// ```swift
/// let pull = try database.createPullReplication("https://example.com/shop")
/// pull.continuous = true
/// pull.channels = ["sales"]
/// pull.authenticator = .basicAuthenticator(name: "waldo", password: "secret")
/// Task { for await change in pull.changes() { print(change.status) } }
/// pull.start()
/// ```
///
/// Each member of ``ReplicationSettings`` is a property of the replication. A change takes effect at the next start.
@dynamicMemberLookup
public final class Replication: Sendable {
    /// The local side of the replication.
    package let localDatabase: Keyspace

    /// The database on the server, as given. Credentials in the URL are sent with each request.
    public let remoteURL: String

    /// Whether the replication sends or receives documents.
    public let direction: ReplicationDirection

    let url: RemoteURL
    let limits: ReplicationLimits
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let state = Lock(LegacyReplicationState())

    /// - Throws: ``ReplicationError`` with code `badURL`.
    package convenience init(
        _ direction: ReplicationDirection, localDatabase: Keyspace, remoteURL: String,
        logger: Logger = Logger(label: "dualgauge.replication")
    ) throws(ReplicationError) {
        try self.init(
            direction, localDatabase: localDatabase, remoteURL: remoteURL, limits: ReplicationLimits(), clock: ContinuousClock(),
            logger: logger)
    }

    init(
        _ direction: ReplicationDirection, localDatabase: Keyspace, remoteURL: String, limits: ReplicationLimits,
        clock: any Clock<Duration>,
        logger: Logger = Logger(label: "dualgauge.replication")
    ) throws(ReplicationError) {
        self.direction = direction
        self.localDatabase = localDatabase
        self.remoteURL = remoteURL
        self.limits = limits
        self.clock = clock
        self.logger = logger
        url = try RemoteURL(remoteURL)
    }

    deinit {
        state.withLock { $0.end() }
    }

    /// A setting.
    public subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<ReplicationSettings, Value>) -> Value {
        get { state.withLock { $0.settings[keyPath: path] } }
        set { state.withLock { $0.settings[keyPath: path] = newValue } }
    }

    /// All settings together.
    public var settings: ReplicationSettings {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    /// Sets a cookie that is sent with requests, for example the session of an application server.
    ///
    /// - Parameters:
    ///   - name: The cookie's name. A cookie of the same name and path is replaced.
    ///   - value: The cookie's value.
    ///   - path: The path prefix of the requests that get the cookie; `nil` for all.
    ///   - expires: Seconds since 1970; `nil` for no expiration.
    ///   - secure: Whether the cookie is sent over TLS only.
    ///   - httpOnly: Whether scripts in browsers may not read it. Has no effect here.
    public func setCookie(
        name: String, value: String, path: String? = nil, expires: Int64? = nil, secure: Bool = false, httpOnly: Bool = false
    ) {
        state.withLock {
            $0.settings.setCookie(name: name, value: value, path: path, expires: expires, secure: secure, httpOnly: httpOnly)
        }
    }

    /// Deletes a cookie that was set.
    public func deleteCookie(name: String) {
        state.withLock { $0.settings.cookies.removeAll { $0.name == name } }
    }

    /// Starts the replication. Has no effect while it is running.
    public func start() {
        perform { $0.lifecycle.start(isContinuous: $0.settings.continuous, attempts: $0.settings.attempts) }
    }

    /// Stops the replication. Transfers in progress are finished, within a few seconds; received documents are stored, and the checkpoint is
    /// saved. ``status`` shows when the replication has stopped.
    public func stop() {
        perform { $0.lifecycle.stop() }
    }

    /// Stops the replication and starts it again when it has stopped, so that changed settings take effect.
    public func restart() {
        perform { $0.lifecycle.restart(isContinuous: $0.settings.continuous, attempts: $0.settings.attempts) }
    }

    /// Tries to connect at once if the replication is offline or waits after an error. To be called when the network has changed.
    public func retry() {
        perform { $0.lifecycle.retry() }
    }

    /// Tries exactly these refused revisions again, whether or not the replication is running. The checkpoint does not move. The result for each
    /// revision is recorded in ``ReplicationSettings/parking`` and yielded by ``documents()``.
    ///
    /// - Throws: ``ReplicationError`` if the server cannot be reached, or refuses more than single revisions.
    package func tryAgain(_ revisions: [RefusedRevision]) async throws {
        try await run(settings: state.withLock { $0.settings }).tryAgain(revisions)
    }

    /// Deletes the checkpoint, so that the next run compares everything again, and the recorded features of the server. Call it while the
    /// replication is stopped.
    ///
    /// - Throws: Errors of the store.
    public func resetCheckpoint() async throws {
        try await SingleBranchRecord(url, in: localDatabase).forget()
        try await CheckpointKeeper.reset(try await run(settings: state.withLock { $0.settings }).checkpointID, in: localDatabase)
    }

    /// The position of the last checkpoint: a sequence of the server for a pull, of the local database for a push; `nil` if there is none.
    ///
    /// - Throws: Errors of the store.
    public func savedSequence() async throws -> String? {
        let id = try await run(settings: state.withLock { $0.settings }).checkpointID
        return try await CheckpointKeeper.saved(id, in: localDatabase)
    }

    /// The position in the local feed up to which a push is done, according to the current run or the last checkpoint.
    func pushedPosition() async throws -> String? {
        if let reached = state.withLock({ $0.reached }) { return reached }
        return try await savedSequence()
    }

    /// The status at this moment.
    public var status: ReplicationStatus { change.status }

    /// The last error since the replication was started. Not every error is fatal.
    public var lastError: ReplicationError? { change.lastError }

    /// The error that has stopped the replication; see ``ReplicationChange/failure``.
    public var failure: ReplicationError? { change.failure }

    /// The number of changes that are done since the replication was started, or was last idle.
    public var completedChangesCount: Int { change.completedChangesCount }

    /// The number of known changes; 0 if there are none.
    public var changesCount: Int { change.changesCount }

    /// The status, errors and counts at the same moment.
    public var change: ReplicationChange { state.withLock { $0.change } }

    /// Documents that failed to replicate since the replication was started; at most the last thousand.
    public var failedDocuments: [DocumentTransfer] { state.withLock { $0.failedDocuments } }

    /// The current status and counts, then each change of them. A slow consumer loses older elements, never the last one.
    public func changes() -> AsyncStream<ReplicationChange> {
        state.withLock { $0.listen() }
    }

    /// The results of documents from the time of the call. A slow consumer loses older elements.
    public func documents() -> AsyncStream<[DocumentTransfer]> {
        state.withLock { $0.listenToDocuments() }
    }

    /// The elements of ``changes()`` and ``documents()`` in their common order. A slow consumer loses older elements, never the last one.
    public func notices() -> AsyncStream<ReplicationUpdate> {
        state.withLock { $0.listenToNotices() }
    }

    /// Waits until the replication is stopped.
    ///
    /// - Returns: The final status and counts.
    @discardableResult
    public func waitUntilStopped() async -> ReplicationChange {
        for await change in changes() where change.status == .stopped { return change }
        return change
    }

    private func perform(_ call: @Sendable (inout LegacyReplicationState) -> [ReplicationLifecycle.Effect]) {
        let endings = state.withLock { state in
            let before = state.change
            let endings = call(&state).compactMap { carryOut($0, &state) }
            state.notifyListeners(after: before)
            return endings
        }
        // Cancellation handlers run synchronously and must not run while the lock is held.
        for end in endings { end() }
    }

    /// - Returns: An action that cancels a task; must be called without the lock.
    private func carryOut(_ effect: ReplicationLifecycle.Effect, _ state: inout LegacyReplicationState) -> (@Sendable () -> Void)? {
        switch effect {
        case .run:
            state.begin()
            let run = run(settings: state.settings)
            state.stopSignal = run.stopSignal
            state.run = Task { await self.carryOut(run) }
        case .cancel:
            guard let run = state.run, let signal = state.stopSignal else { return nil }
            return { [limits] in
                signal.raise()
                Self.end(run, within: limits.stopTime)
            }
        case .wait(let duration):
            let clock = clock
            state.wait = Task {
                guard (try? await clock.sleep(for: duration)) != nil, !Task.isCancelled else { return }
                self.perform { $0.lifecycle.waited() }
            }
        case .cancelWait:
            defer { state.wait = nil }
            let wait = state.wait
            return { wait?.cancel() }
        }
        return nil
    }

    /// Cancels a run that takes too long to stop.
    private static func end(_ run: Task<Void, Never>, within time: Duration) {
        let limit = Task {
            // A timeout is necessary, because a silent server causes no event. Cancelled when the run has ended.
            if (try? await suspend(for: time)) != nil { run.cancel() }
        }
        Task {
            await run.value
            limit.cancel()
        }
    }

    func run(settings: ReplicationSettings) -> LegacyReplicationRun {
        var limits = limits
        if settings.attempts.isCounted { limits.requestDelays = [] }
        return LegacyReplicationRun(
            keyspace: localDatabase, url: url, direction: direction, settings: settings, limits: limits, clock: clock, logger: logger
        ) { [weak self, limits] event in
            self?.perform { state in
                state.apply(event, retaining: limits.retainedErrors)
                return []
            }
        }
    }

    private func carryOut(_ run: LegacyReplicationRun) async {
        var failure: ReplicationError?
        do {
            try await run.run()
        } catch let error as ReplicationError {
            failure = error
        } catch is CancellationError {
            failure = nil
        } catch {
            failure = ReplicationError(local: error)
        }
        if let failure {
            logger.info("a replication's run has ended", metadata: ["url": "\(url.base)", "error": "\(failure)"])
        }
        perform { [failure] in $0.lifecycle.ended(failure) }
    }
}

/// The direction in which documents are replicated.
public enum ReplicationDirection: String, Sendable, Hashable, CaseIterable {
    /// From here to the server.
    case push
    /// From the server to here.
    case pull
}
