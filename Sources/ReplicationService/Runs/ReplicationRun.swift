package import BridgeConfiguration
import Coordination
package import Cutover
import Logging
import Storage
package import Telemetry

/// A replication that the bridge runs, with its status and counts.
package actor ReplicationRun {
    package nonisolated let id: String
    package nonisolated let definition: ReplicationDefinition
    private let builder: ReplicationBuilder
    private let ended: @Sendable (ReplicationRun) async -> Void
    private var replication: (any BridgeReplicator)?
    private var watch: Task<Void, Never>?
    private var isActive = false

    /// Whether it was started and not stopped since.
    private var isWanted = false

    /// Whether it is queued to be started.
    private(set) var isWaiting = false

    /// Whether the log has an entry that it has caught up since its last connection.
    private var hasLoggedCaughtUp = false

    package private(set) var state = ReplicationState()

    /// When it was last caught up; `nil` if it never was, or is at present.
    private var caughtUp: ContinuousClock.Instant?
    package private(set) var tally = ReplicationTally() {
        didSet { counts.record(tally, since: oldValue) }
    }
    package private(set) var interruptions = ReplicationInterruptions() {
        didSet { counts.record(interruptions, since: oldValue) }
    }

    /// The counts of documents and interruptions since the run was created.
    package nonisolated let metrics: MetricsRegistry
    private let counts: ReplicationCounts

    /// Whether the next start discards the checkpoints.
    private(set) var resets: Bool

    /// Resolved when the first attempt has a result: caught up, waiting to retry, or stopped.
    nonisolated let firstResult = Promise<Void, Never>()

    /// - Parameter ended: called each time that the replication has ended.
    init(
        id: String, definition: ReplicationDefinition, resets: Bool = false, builder: ReplicationBuilder,
        ended: @escaping @Sendable (ReplicationRun) async -> Void
    ) {
        self.id = id
        self.definition = definition
        self.resets = resets
        self.builder = builder
        self.ended = ended
        metrics = builder.metrics.part([("replication", id)])
        counts = ReplicationCounts(metrics)
    }

    deinit {
        watch?.cancel()
    }

    package var isStopped: Bool { state.activity == .stopped }

    func start() async {
        (isWanted, isWaiting) = (true, false)
        do {
            let replication = try await prepared()
            // Stopped meanwhile.
            guard isWanted else { return firstResult.resolve() }
            let reset = resets
            resets = false
            // It lasts longer than the request that starts it.
            await BridgeTracer.withoutSpan { await replication.start(reset: reset) }
        } catch {
            firstResult.resolve()
            fail("\(error)")
            builder.logger.error("a replication cannot be started", metadata: ["replication": "\(id)", "error": "\(error)"])
        }
    }

    /// Marks it as queued to be started, unless it is stopped or started before.
    func wait() {
        isWaiting = true
    }

    /// Does not start it, because it has terminated the bridge.
    func hold() {
        fail(
            "has ended the bridge twice at its start and is held back; find the cause in the log, correct it, then start the replication (_replicationStatus?action=start)"
        )
        builder.logger.critical(
            "a replication has ended the bridge twice at its start, and is held back", metadata: ["replication": "\(id)"])
    }

    /// Records the reason why it cannot start.
    private func fail(_ reason: String) {
        state.failure = ReplicationFailure(.refused, reason)
        // The callers log the reason.
        _ = interruptions.record(state)
    }

    /// Stops it: stores what was received and saves the checkpoints.
    func stop() async {
        (isWanted, isWaiting) = (false, false)
        await replication?.stop()
    }

    /// Stops it and waits for the end.
    func close() async {
        isWaiting = false
        defer { firstResult.resolve() }
        guard let replication else { return }
        isWanted = false
        await replication.stop()
        await replication.waitUntilStopped()
    }

    /// Makes the next start discard the checkpoints.
    func reset() {
        resets = true
    }

    /// Retries parked revisions.
    ///
    /// - Throws: ``ReplicationFailure``, or the error of building the replication.
    func tryAgain(_ parked: [ParkedRevision]) async throws {
        try await prepared().tryAgain(parked)
    }

    package func position() async -> ReplicationPosition {
        await replication?.position() ?? ReplicationPosition()
    }

    /// The replication's lag.
    package var lag: LagMeasurement {
        state.lag(since: caughtUp.map { ContinuousClock.now - $0 }, heldUpBy: interruptions.holdUp)
    }

    private func prepared() async throws -> any BridgeReplicator {
        if let replication { return replication }
        let replication = try builder.build(definition, id: id)
        self.replication = replication
        let reports = await replication.reports()
        watch = Task { [weak self] in
            for await report in reports { await self?.process(report) }
        }
        return replication
    }

    private func process(_ report: ReplicationReport) async {
        switch report {
        case .documents(let outcomes):
            var tally = tally
            for outcome in outcomes { tally.add(outcome) }
            // Each assignment updates the metrics.
            self.tally = tally
        case .state(let state):
            if self.state.isCaughtUp { caughtUp = .now }
            self.state = state
            for event in interruptions.record(state, isWanted: isWanted) { log(event) }
            let wasActive = isActive
            isActive = state.activity != .stopped
            // The first report has the state before the start: stopped.
            if [.idle, .offline].contains(state.activity) || wasActive && !isActive { firstResult.resolve() }
            logCaughtUp(wasActive: wasActive)
            if wasActive, !isActive { await ended(self) }
        }
    }

    /// Logs an event that is not visible otherwise.
    private func log(_ event: ReplicationInterruptions.Event) {
        let logger = builder.logger
        switch event {
        case .heldUp(let failure):
            let isOver = state.activity == .stopped || state.halfFailure != nil
            let text: Logger.Message = isOver ? "a replication has stopped" : "a replication is held up, and tries again"
            logger.log(
                level: isOver || failure.kind == .refused ? .error : .warning, text,
                metadata: ["replication": "\(id)", "error": "\(failure.message)"])
        case .restored:
            logger.warning(
                "the server of a replication was restored or replaced; revisions that it has lost are sent again",
                metadata: ["replication": "\(id)", "seen": "\(state.restoration ?? "")"])
        }
    }

    /// Logs once that everything has been replicated, and again after an interruption.
    private func logCaughtUp(wasActive: Bool) {
        let isDone = state.completed == state.total && !hasLoggedCaughtUp
        switch state.activity {
        case .idle where isDone && state.isCaughtUp, .stopped where isDone && wasActive && state.failure == nil:
            hasLoggedCaughtUp = true
            builder.logger.info(
                "a replication has caught up",
                metadata: ["replication": "\(id)", "pulled": "\(tally.read)", "pushed": "\(tally.written)"])
        case .stopped, .offline, .connecting: hasLoggedCaughtUp = false
        case .idle, .busy: break
        }
    }
}

/// Counts of documents by outcome since the run was created, in Sync Gateway's terms.
package struct ReplicationTally: Hashable, Sendable {
    /// Pulled and stored here.
    package private(set) var read = 0
    /// Removed here because of lost access.
    package private(set) var purged = 0
    package private(set) var rejectedHere = 0
    /// Pushed and stored on the other side.
    package private(set) var written = 0
    package private(set) var rejectedThere = 0
    package private(set) var conflicts = 0
    package private(set) var failures = 0

    mutating func add(_ outcome: ReplicationOutcome) {
        switch (outcome.isPush, outcome.failure) {
        case (false, nil): if outcome.isAccessRemoved { purged += 1 } else { read += 1 }
        case (false, _?): rejectedHere += 1
        case (true, nil): written += 1
        case (true, let failure?):
            switch failure.status {
            case 401, 403: rejectedThere += 1
            case 409: conflicts += 1
            default: failures += 1
            }
        }
    }
}
