import Gateway
public import Logging
public import ModernProtocol

/// The active side of the Couchbase Lite 2.x+ protocol: pushes and pulls documents over one connection.
///
/// ```swift
/// let replicator = try Replicator(configuration: configuration)
/// Task { for await status in await replicator.changes() { print(status.activity) } }
/// await replicator.start()
/// ```
public actor Replicator {
    public nonisolated let configuration: ReplicatorConfiguration
    let limits: ReplicationLimits
    let clock: any Clock<Duration>
    let logger: Logger

    private let deltaCounter = DeltaCounter()
    private var lifecycle: ReplicatorLifecycle
    private var progress = ReplicatorProgress()
    private var listeners = Listeners()
    private let cookies = ReplicatorCookies()

    /// Whether the server wants the default collection named, too.
    var namesDefault = false

    /// Whether the next start forgets the checkpoints.
    private var resetsOnStart = false

    /// The connection, or the attempt at one, and the time that is being waited for.
    private var connection: Task<Void, Never>?
    private(set) var session: ReplicationSession?
    private var traffic: TrafficCounter?
    private var waiting: Task<Void, Never>?

    /// - Throws: ``ReplicatorError`` with code `invalidParameter` or `invalidURL`.
    public init(configuration: ReplicatorConfiguration, logger: Logger = Logger(label: "replicator")) throws {
        try self.init(configuration: configuration, limits: ReplicationLimits(), clock: ContinuousClock(), logger: logger)
    }

    init(configuration: ReplicatorConfiguration, limits: ReplicationLimits, clock: any Clock<Duration>, logger: Logger) throws {
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

    /// Starts the replication, or has it start again when it is being stopped. Does nothing otherwise.
    ///
    /// - Parameter reset: Whether the checkpoints are forgotten, so that everything is compared anew.
    public func start(reset: Bool = false) {
        let resets = reset || resetsOnStart
        if lifecycle.state == .stopped { progress = ReplicatorProgress() }
        if [.stopped, .stopping(isSuspending: false)].contains(lifecycle.state) { resetsOnStart = false }
        perform { $0.start(reset: resets) }
    }

    /// Has the next ``start(reset:)`` forget the checkpoints. What runs goes on as it is.
    public func resetCheckpoint() {
        resetsOnStart = true
    }

    /// Stops the replication: what has arrived is stored, and the checkpoints are saved. ``status`` tells when it has come to an end.
    public func stop() {
        perform { $0.stop() }
    }

    /// Goes offline, as when an application goes into the background, until ``resume()``.
    public func suspend() {
        perform { $0.setSuspended(true) }
    }

    /// Goes on after ``suspend()``; a replicator that is offline for another reason tries at once.
    public func resume() {
        perform { $0.setSuspended(false) }
    }

    /// Says that the network has changed: a replicator that is offline, and was not suspended, tries at once.
    public func retry() {
        perform { $0.retry() }
    }

    /// Says whether the server is within reach, as far as the application knows. While it is not, what the network causes is not tried again; when it
    /// is again, a replicator that is offline tries at once.
    public func setHostReachable(_ isReachable: Bool) {
        perform { $0.setReachable(isReachable) }
    }

    /// The certificate, in DER, that the server has shown on the newest connection; `nil` without one. An application that trusts at first use takes
    /// it once with ``ReplicatorConfiguration/acceptOnlySelfSignedServerCertificate`` and pins it from then on.
    public private(set) var serverCertificate: [UInt8]?

    public var status: ReplicatorStatus {
        ReplicatorStatus(activity: lifecycle.activity, progress: progress, error: lifecycle.error)
    }

    /// What delta sync has done since the replicator was made.
    public nonisolated var deltaStatistics: DeltaStatistics { deltaCounter.current }

    /// The status now and whenever it changes, from now on. Whoever listens too slowly misses old ones, never the last.
    public func changes() -> AsyncStream<ReplicatorStatus> {
        statuses(beginningNow: true)
    }

    func statuses(beginningNow: Bool) -> AsyncStream<ReplicatorStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: ReplicatorStatus.self, bufferingPolicy: .bufferingNewest(256))
        if beginningNow { continuation.yield(status) }
        listeners.statuses.append(continuation)
        return stream
    }

    /// What becomes of documents, from now on. Whoever listens too slowly misses old ones.
    public func documentReplications() -> AsyncStream<DocumentReplication> {
        let (stream, continuation) = AsyncStream.makeStream(of: DocumentReplication.self, bufferingPolicy: .bufferingNewest(4_096))
        listeners.documents.append(continuation)
        return stream
    }

    /// All of that in the order in which it happens, beginning with the status now. Whoever listens too slowly misses old ones, never the last.
    public func events() -> AsyncStream<ReplicatorEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: ReplicatorEvent.self, bufferingPolicy: .bufferingNewest(4_096))
        continuation.yield(.status(status))
        listeners.events.append(continuation)
        return stream
    }

    /// Waits until the replicator is stopped.
    ///
    /// - Returns: The status then.
    @discardableResult
    public func waitUntilStopped() async -> ReplicatorStatus {
        for await status in changes() where status.activity == .stopped { return status }
        return status
    }

    private func perform(_ call: (inout ReplicatorLifecycle) -> [ReplicatorLifecycle.Effect]) {
        let before = status
        for effect in call(&lifecycle) { carryOut(effect) }
        if status != before { listeners.tell(status) }
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
            // A cancelled attempt has no error that counts: the life cycle knows why.
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
    /// - Returns: Why it ended; `nil` if all is done or it was stopped.
    private func replicate() async throws -> ReplicatorError? {
        let plan = try await plan()
        let opened = try await openConnection()
        serverCertificate = opened.serverCertificate
        guard !Task.isCancelled else {
            await opened.socket.drop()
            return nil
        }
        let (events, continuation) = AsyncStream.makeStream(of: ReplicationEvent.self)
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
        for await event in events { take(event) }
        let failure = ReplicatorError(await end, closeCode: await opened.closeCode())
        guard plan.isUnnamed, opened.subprotocol == .v3, failure?.wantsCollection == true else { return failure }
        namesDefault = true
        return try await replicate()
    }

    /// Connects, with the cookies that the server has set before, and keeps those that it sets.
    private func openConnection() async throws -> ReplicatorConnection {
        let options = connectionOptions
        guard let endpoint = configuration.target as? URLEndpoint, let server = endpoint.cookieOwner(options.authenticator),
            let database = configuration.collections.first?.keyspace.database
        else { return try await configuration.target.connect(options) }
        if !cookies.isRestored { await cookies.restore(for: server, from: database, without: options.cookieNames) }
        let result: Result<ReplicatorConnection, any Error>
        do { result = .success(try await endpoint.connect(options)) } catch { result = .failure(error) }
        do {
            try await cookies.keep(for: server, in: database)
        } catch {
            logger.warning("the server's cookies cannot be kept", metadata: ["error": "\(error)"])
        }
        return try result.get()
    }

    private func take(_ event: ReplicationEvent) {
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
        case .documents(let documents): listeners.tell(documents)
        }
        if status != before { listeners.tell(status) }
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
