import Coordination
import Gateway
public import Logging
package import ModernProtocol

/// The active side of the Couchbase Lite 2.x+ protocol: pushes and pulls documents over one connection.
///
/// ```swift
/// let replicator = try Replicator(configuration: configuration)
/// Task { for await status in await replicator.changes() { print(status.activity) } }
/// await replicator.start()
/// ```
public actor Replicator {
    /// The configuration with which the replicator was created.
    public nonisolated let configuration: ReplicatorConfiguration
    let limits: ReplicatorLimits
    let clock: any Clock<Duration>
    let logger: Logger

    private let deltaCounter = DeltaCounter()
    private var lifecycle: ReplicatorLifecycle
    private var progress = ReplicatorProgress()
    private var listeners = Listeners()
    private let cookies = ReplicatorCookies()

    /// Whether the server requires a name for the default collection too.
    var namesDefault = false

    /// Whether the next start removes the checkpoints.
    private var resetsOnStart = false

    /// The task of the connection or of the connection attempt.
    private var connection: Task<Void, Never>?
    private(set) var session: ReplicationSession?
    private var traffic: TrafficCounter?
    private var waiting: Task<Void, Never>?

    /// Creates a stopped replicator. It runs as long as it is referenced.
    ///
    /// - Throws: ``ReplicatorError`` with code `invalidParameter` or `invalidURL`.
    public init(configuration: ReplicatorConfiguration, logger: Logger = Logger(label: "replicator")) throws {
        try self.init(configuration: configuration, limits: ReplicatorLimits(), clock: ContinuousClock(), logger: logger)
    }

    init(configuration: ReplicatorConfiguration, limits: ReplicatorLimits, clock: any Clock<Duration>, logger: Logger) throws {
        try configuration.validate()
        _ = try configuration.target.identity
        self.configuration = configuration
        self.limits = limits
        self.clock = clock
        self.logger = logger
        lifecycle = ReplicatorLifecycle(
            isContinuous: configuration.continuous, isPersistent: configuration.isPersistent, backoff: configuration.backoff)
    }

    deinit {
        listeners.finish()
    }

    /// Starts the replication. If it is being stopped, starts it again afterwards. Otherwise does nothing.
    ///
    /// - Parameter reset: Whether the checkpoints are removed, so that all documents are compared again.
    public func start(reset: Bool = false) {
        let resets = reset || resetsOnStart
        if lifecycle.state == .stopped { progress = ReplicatorProgress() }
        if [.stopped, .stopping(isSuspending: false)].contains(lifecycle.state) { resetsOnStart = false }
        perform { $0.start(reset: resets) }
    }

    /// Makes the next ``start(reset:)`` remove the checkpoints. A running replication is unaffected.
    public func resetCheckpoint() {
        resetsOnStart = true
    }

    /// Stops the replication: received revisions are stored, and the checkpoints are saved. ``status`` reports when the replicator has
    /// stopped.
    public func stop() {
        perform { $0.stop() }
    }

    /// Goes offline until ``resume()``, for example when an application enters the background.
    public func suspend() {
        perform { $0.setSuspended(true) }
    }

    /// Continues after ``suspend()``. A replicator that is offline for another reason reconnects immediately.
    public func resume() {
        perform { $0.setSuspended(false) }
    }

    /// Reconnects immediately if the replicator is offline and was not suspended. Call this when the network has changed.
    public func retry() {
        perform { $0.retry() }
    }

    /// Sets whether the server is reachable, as far as the application knows. While it is unreachable, network errors cause no retry. When
    /// it becomes reachable, an offline replicator reconnects immediately.
    public func setHostReachable(_ isReachable: Bool) {
        perform { $0.setReachable(isReachable) }
    }

    /// The server's certificate of the newest connection, in DER; `nil` without TLS. For trust on first use, an application reads it once
    /// with ``ReplicatorConfiguration/acceptOnlySelfSignedServerCertificate`` and pins it afterwards.
    public private(set) var serverCertificate: [UInt8]?

    /// The status at this moment.
    public var status: ReplicatorStatus {
        ReplicatorStatus(activity: lifecycle.activity, progress: progress, error: lifecycle.error)
    }

    /// The counters of delta sync since the creation of the replicator.
    package nonisolated var deltaStatistics: DeltaStatistics { deltaCounter.current }

    /// The current status, then each change of it. A slow consumer may miss earlier changes, but never the last.
    public func changes() -> AsyncStream<ReplicatorStatus> {
        statuses(beginningNow: true)
    }

    func statuses(beginningNow: Bool) -> AsyncStream<ReplicatorStatus> {
        listeners.statuses.subscribe(beginningWith: beginningNow ? status : nil)
    }

    /// The outcomes of documents from now on. A slow consumer may miss earlier ones.
    public func documentReplications() -> AsyncStream<DocumentReplication> {
        listeners.documents.subscribe()
    }

    /// Changes of the status and outcomes of documents in their order, starting with the current status. A slow consumer may miss earlier
    /// events, but never the last.
    public func events() -> AsyncStream<ReplicatorEvent> {
        listeners.events.subscribe(beginningWith: .status(status))
    }

    /// Waits until the replicator has stopped.
    ///
    /// - Returns: The final status.
    @discardableResult
    public func waitUntilStopped() async -> ReplicatorStatus {
        for await status in changes() where status.activity == .stopped { return status }
        return status
    }

    private func perform(_ call: (inout ReplicatorLifecycle) -> [ReplicatorLifecycle.Effect]) {
        let before = status
        for effect in call(&lifecycle) { carryOut(effect) }
        if status != before { listeners.notify(status) }
    }

    private func carryOut(_ effect: ReplicatorLifecycle.Effect) {
        switch effect {
        case .connect(let reset):
            connection = Task { await self.connect(reset: reset) }
        case .disconnect:
            if let session {
                Task { await session.stop() }
            } else if let connection {
                connection.cancel()
            } else {
                perform { $0.closed(nil) }
            }
        case .wait(let duration):
            let clock = clock
            waiting = Task {
                guard (try? await clock.sleep(for: duration)) != nil else { return }
                self.waited()
            }
        case .cancelWait:
            waiting?.cancel()
            waiting = nil
        }
    }

    private func waited() {
        guard !Task.isCancelled else { return }
        waiting = nil
        perform { $0.waited() }
    }

    private func connect(reset: Bool) async {
        let failure: ReplicatorError?
        do {
            if reset {
                try await forgetCheckpoints()
                try await configuration.parking?.beginAnew()
            }
            failure = try await replicate()
        } catch {
            // The error of a cancelled attempt does not count: the life cycle has the reason.
            failure = ReplicatorError(local: error)
        }
        session = nil
        connection = nil
        countBytes()
        traffic = nil
        if let failure { logger.info("a replication's connection has ended", metadata: ["error": "\(failure)"]) }
        perform { $0.closed(failure) }
    }

    /// Replicates over one connection.
    ///
    /// - Returns: The error that ended the connection; `nil` if all is done or the replicator was stopped.
    private func replicate() async throws -> ReplicatorError? {
        let plan = try await plan()
        let opened = try await openConnection()
        serverCertificate = opened.serverCertificate
        guard !Task.isCancelled else {
            await opened.socket.drop()
            return nil
        }
        let (events, continuation) = AsyncStream.makeStream(of: ReplicationSessionEvent.self)
        let traffic = TrafficCounter { continuation.yield(.bytes) }
        self.traffic = traffic
        let session = ReplicationSession(
            socket: CountedMessages(socket: opened.socket, traffic: traffic), subprotocol: opened.subprotocol, plan: plan, limits: limits,
            clock: clock,
            deltaCounter: deltaCounter, logger: logger
        ) { continuation.yield($0) }
        self.session = session
        async let end: ReplicationEnd = {
            let end = await session.run()
            continuation.finish()
            return end
        }()
        for await event in events { handle(event) }
        let failure = ReplicatorError(await end, closeCode: await opened.closeCode())
        guard plan.isUnnamed, opened.subprotocol == .v3, failure?.wantsCollection == true else { return failure }
        namesDefault = true
        return try await replicate()
    }

    /// Connects with the stored cookies of the server, and stores new ones.
    private func openConnection() async throws -> ReplicatorConnection {
        let options = connectionOptions
        guard let endpoint = configuration.target as? URLEndpoint, let server = endpoint.cookieOwner(options.authenticator),
            let database = configuration.collections.first?.keyspace.database
        else { return try await configuration.target.connect(options) }
        if !cookies.isRestored { await cookies.restore(for: server, from: database, without: options.cookieNames) }
        let result: Result<ReplicatorConnection, any Error>
        do { result = .success(try await endpoint.connect(options)) } catch { result = .failure(error) }
        do {
            try await cookies.save(for: server, in: database)
        } catch {
            logger.warning("the server's cookies cannot be stored", metadata: ["error": "\(error)"])
        }
        return try result.get()
    }

    private func handle(_ event: ReplicationSessionEvent) {
        let before = status
        switch event {
        case .connected: lifecycle.connected()
        case .transfers(let isBusy):
            lifecycle.transfers(isBusy)
            countBytes()
        case .progress(let completed, let total):
            progress.completed += UInt64(completed)
            progress.total += UInt64(total)
            if completed > 0 { lifecycle.replicated() }
            countBytes()
        case .bytes: countBytes()
        case .documents(let documents): listeners.notify(documents)
        }
        if status != before { listeners.notify(status) }
    }

    private func countBytes() {
        progress.bytes += traffic?.take() ?? 0
    }

    private var connectionOptions: ConnectionOptions {
        var options = ConnectionOptions(logger: logger)
        options.authenticator = configuration.authenticator
        options.serverCertificatePolicy = configuration.serverCertificatePolicy
        options.headers = configuration.headers
        options.heartbeat = configuration.heartbeatInterval
        options.networkInterface = configuration.networkInterface
        options.proxy = configuration.proxy
        options.cookies = cookies
        if configuration.prefersVersions { options.subprotocols = [.v4, .v3, .v2] }
        return options
    }
}
