public import Gateway
import HTTP
public import Logging
import Synchronization

/// Transfers documents between a keyspace here and a database on a 1.x server, in one direction: Couchbase Lite 1.x's `Replication`.
///
/// ```swift
/// let pull = try keyspace.createPullReplication("https://example.com/shop")
/// pull.continuous = true
/// pull.channels = ["sales"]
/// pull.authenticator = .basicAuthenticator(name: "waldo", password: "secret")
/// Task { for await change in pull.changes() { print(change.status) } }
/// pull.start()
/// ```
///
/// Each of ``ReplicationSettings`` is a property of the replication; a change counts from its next start on.
@dynamicMemberLookup
public final class Replication: Sendable {
    /// What is replicated here.
    public let localDatabase: Keyspace

    /// The database on the server, as it was given. Credentials in it are sent with each request.
    public let remoteURL: String
    public let direction: ReplicationDirection

    let url: RemoteURL
    let limits: ReplicationLimits
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let state = Mutex(ReplicationState())

    /// - Throws: ``ReplicationError`` with code `badURL`.
    public convenience init(
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

    /// Sets a cookie that is sent with requests, that of a session which an application server has made for example.
    ///
    /// - Parameters:
    ///   - path: Requests whose path begins with this get it; `nil` for all.
    ///   - expires: Seconds since 1970; `nil` for never.
    ///   - secure: Whether it is sent over TLS only.
    ///   - httpOnly: Whether browsers' scripts may not see it. It means nothing here.
    public func setCookie(
        name: String, value: String, path: String? = nil, expires: Int64? = nil, secure: Bool = false, httpOnly: Bool = false
    ) {
        state.withLock {
            $0.settings.setCookie(name: name, value: value, path: path, expires: expires, secure: secure, httpOnly: httpOnly)
        }
    }

    /// Takes back a cookie that was set.
    public func deleteCookie(name: String) {
        state.withLock { $0.settings.cookies.removeAll { $0.name == name } }
    }

    /// Starts the replication. Does nothing if it is running.
    public func start() {
        perform { $0.lifecycle.start(isContinuous: $0.settings.continuous, attempts: $0.settings.attempts) }
    }

    /// Stops the replication: what is under way is finished, unless that takes longer than some seconds, what has arrived is kept, and the
    /// checkpoint saved. ``status`` tells when it has come to an end.
    public func stop() {
        perform { $0.lifecycle.stop() }
    }

    /// Stops the replication, and starts it when that has come to its end: with settings that were changed.
    public func restart() {
        perform { $0.lifecycle.restart(isContinuous: $0.settings.continuous, attempts: $0.settings.attempts) }
    }

    /// Says that the network has changed: a replication that is offline, or waits after an error, tries at once.
    public func retry() {
        perform { $0.lifecycle.retry() }
    }

    /// Tries revisions again that one side has refused: exactly these, whether the replication is running or not. Its checkpoint does not
    /// move. What comes of each is noted in ``ReplicationSettings/parking``, and told to those who listen to documents.
    ///
    /// - Throws: ``ReplicationError`` if the server cannot be reached, or refuses more than a revision.
    public func tryAgain(_ revisions: [RefusedRevision]) async throws {
        try await run(settings: state.withLock { $0.settings }).tryAgain(revisions)
    }

    /// Forgets how far the replication has come, so that its next run compares everything anew, and what was learned of the server.
    public func resetCheckpoint() async throws {
        try await SingleBranchRecord(url, in: localDatabase).forget()
        try await CheckpointKeeper.reset(try await run(settings: state.withLock { $0.settings }).checkpointID, in: localDatabase)
    }

    /// How far the replication has come by its last checkpoint: a sequence of the server's for a pull, of ``localDatabase`` for a push; `nil`
    /// if there is none.
    public func savedSequence() async throws -> String? {
        let id = try await run(settings: state.withLock { $0.settings }).checkpointID
        return try await CheckpointKeeper.saved(id, in: localDatabase)
    }

    /// Up to where in the local feed a push has dealt with everything: as far as the run knows, or else by the last checkpoint.
    func pushedPosition() async throws -> String? {
        if let reached = state.withLock({ $0.reached }) { return reached }
        return try await savedSequence()
    }

    public var status: ReplicationStatus { change.status }

    /// The last error since the replication was started. Not every error is fatal.
    public var lastError: ReplicationError? { change.lastError }

    /// The error that has stopped the replication; see ``ReplicationChange/failure``.
    public var failure: ReplicationError? { change.failure }

    /// The changes that have been dealt with since the replication was started, or was idle last.
    public var completedChangesCount: Int { change.completedChangesCount }

    /// The changes that are known of; 0 while none are.
    public var changesCount: Int { change.changesCount }

    /// All of these at the same moment.
    public var change: ReplicationChange { state.withLock { $0.change } }

    /// The documents that were not replicated since the replication was started, the last thousand of them.
    public var failedDocuments: [DocumentTransfer] { state.withLock { $0.failedDocuments } }

    /// The status and counts now and whenever they change, from now on. Whoever listens too slowly misses old ones, never the last.
    public func changes() -> AsyncStream<ReplicationChange> {
        state.withLock { $0.listen() }
    }

    /// What becomes of documents, from now on. Whoever listens too slowly misses old ones.
    public func documents() -> AsyncStream<[DocumentTransfer]> {
        state.withLock { $0.listenToDocuments() }
    }

    /// Both in the order in which they happen, from now on. Whoever listens too slowly misses old ones, never the last.
    public func notices() -> AsyncStream<ReplicationUpdate> {
        state.withLock { $0.listenToNotices() }
    }

    /// Waits until the replication is stopped.
    ///
    /// - Returns: What it says then.
    @discardableResult
    public func waitUntilStopped() async -> ReplicationChange {
        for await change in changes() where change.status == .stopped { return change }
        return change
    }

    private func perform(_ call: @Sendable (inout ReplicationState) -> [ReplicationLifecycle.Effect]) {
        let endings = state.withLock { state in
            let before = state.change
            let endings = call(&state).compactMap { carryOut($0, &state) }
            state.tell(after: before)
            return endings
        }
        // Handlers of a cancellation run at once, and must not meet the lock.
        for end in endings { end() }
    }

    /// - Returns: What ends a task, to be called without the lock.
    private func carryOut(_ effect: ReplicationLifecycle.Effect, _ state: inout ReplicationState) -> (@Sendable () -> Void)? {
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

    /// Gives up what is under way if it takes too long.
    private static func end(_ run: Task<Void, Never>, within time: Duration) {
        let limit = Task {
            // A bound, and so a clock: a server that says nothing gives no event. Cancelled when the run has ended.
            if (try? await Task.sleep(for: time)) != nil { run.cancel() }
        }
        Task {
            await run.value
            limit.cancel()
        }
    }

    func run(settings: ReplicationSettings) -> ReplicationRun {
        var limits = limits
        if settings.attempts.isCounted { limits.requestDelays = [] }
        return ReplicationRun(
            keyspace: localDatabase, url: url, direction: direction, settings: settings, limits: limits, clock: clock, logger: logger
        ) { [weak self, limits] event in
            self?.perform { state in
                state.take(event, remembering: limits.rememberedErrors)
                return []
            }
        }
    }

    private func carryOut(_ run: ReplicationRun) async {
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

extension Keyspace {
    /// A replication that transfers documents from here to a database on a server.
    public func createPushReplication(_ url: String) throws(ReplicationError) -> Replication {
        try Replication(.push, localDatabase: self, remoteURL: url)
    }

    /// A replication that transfers documents from a database on a server to here.
    public func createPullReplication(_ url: String) throws(ReplicationError) -> Replication {
        try Replication(.pull, localDatabase: self, remoteURL: url)
    }
}

/// Which way documents go.
public enum ReplicationDirection: String, Sendable, Hashable, CaseIterable {
    /// From here to the server.
    case push
    /// From the server to here.
    case pull
}
