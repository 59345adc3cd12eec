package import BridgeConfiguration
package import Cutover
import HTTP
import Logging
import Storage

/// A replication that the bridge runs, and what is known of it.
package actor ReplicationRun {
    package nonisolated let id: String
    package nonisolated let definition: ReplicationDefinition
    private let builder: ReplicationBuilder
    private let ended: @Sendable (ReplicationRun) async -> Void
    private var replication: (any Replication)?
    private var watch: Task<Void, Never>?
    private var isActive = false

    /// Whether it was started, and not told to stop since.
    private var isWanted = false

    /// Whether it waits for its turn to be started.
    private(set) var isWaiting = false

    /// Whether the log says already that it has caught up since it was last connected.
    private var hasLoggedCaughtUp = false

    package private(set) var state = ReplicationState()

    /// When it had last caught up; `nil` if it never has, or has now.
    private var caughtUp: ContinuousClock.Instant?
    package private(set) var tally = ReplicationTally()
    package private(set) var interruptions = ReplicationInterruptions()

    /// Whether the next start begins from nothing.
    private(set) var resets: Bool

    /// Resolved when the first attempt has come to something: it has caught up, waits, or has stopped.
    nonisolated let settled = Eventual<Void>()

    /// - Parameter ended: is told each time that the replication has come to an end.
    init(
        id: String, definition: ReplicationDefinition, resets: Bool = false, builder: ReplicationBuilder,
        ended: @escaping @Sendable (ReplicationRun) async -> Void
    ) {
        self.id = id
        self.definition = definition
        self.resets = resets
        self.builder = builder
        self.ended = ended
    }

    deinit {
        watch?.cancel()
    }

    package var isStopped: Bool { state.activity == .stopped }

    func start() async {
        (isWanted, isWaiting) = (true, false)
        do {
            let replication = try await prepared()
            // Told to stop meanwhile.
            guard isWanted else { return settled.resolve(.success(())) }
            let reset = resets
            resets = false
            await replication.start(reset: reset)
        } catch {
            settled.resolve(.success(()))
            fail("\(error)")
            builder.logger.error("a replication cannot be started", metadata: ["replication": "\(id)", "error": "\(error)"])
        }
    }

    /// Is started later, unless it is told to stop or to start before.
    func wait() {
        isWaiting = true
    }

    /// Leaves it stopped, because it has ended the bridge.
    func hold() {
        fail(
            "has ended the bridge twice at its start and is held back; look at the log, mend it, then start it (_replicationStatus?action=start)"
        )
        builder.logger.critical(
            "a replication has ended the bridge twice at its start, and is held back", metadata: ["replication": "\(id)"])
    }

    /// Notes why it cannot start.
    private func fail(_ reason: String) {
        state.failure = ReplicationFailure(.refused, reason)
        // The log is told by those who have tried.
        _ = interruptions.take(state)
    }

    /// Has it stop; what has arrived is stored, and the checkpoints are saved.
    func stop() async {
        (isWanted, isWaiting) = (false, false)
        await replication?.stop()
    }

    /// Stops it, and waits for the end.
    func close() async {
        isWaiting = false
        defer { settled.resolve(.success(())) }
        guard let replication else { return }
        isWanted = false
        await replication.stop()
        await replication.waitUntilStopped()
    }

    /// Has the next start begin from nothing.
    func reset() {
        resets = true
    }

    /// Tries parked revisions again.
    ///
    /// - Throws: ``ReplicationFailure``, or why the replication cannot be made.
    func tryAgain(_ parked: [ParkedRevision]) async throws {
        try await prepared().tryAgain(parked)
    }

    package func position() async -> ReplicationPosition {
        await replication?.position() ?? ReplicationPosition()
    }

    /// How long ago it had caught up.
    package var lag: LagMeasurement {
        state.lag(since: caughtUp.map { ContinuousClock.now - $0 }, heldUpBy: interruptions.holdUp)
    }

    private func prepared() async throws -> any Replication {
        if let replication { return replication }
        let replication = try builder.build(definition, id: id)
        self.replication = replication
        let reports = await replication.reports()
        watch = Task { [weak self] in
            for await report in reports { await self?.take(report) }
        }
        return replication
    }

    private func take(_ report: ReplicationReport) async {
        switch report {
        case .documents(let outcomes):
            for outcome in outcomes { tally.add(outcome) }
        case .state(let state):
            if self.state.isCaughtUp { caughtUp = .now }
            self.state = state
            for news in interruptions.take(state, isWanted: isWanted) { tell(news) }
            let wasActive = isActive
            isActive = state.activity != .stopped
            // The first report says how it is before its start: stopped.
            if [.idle, .offline].contains(state.activity) || wasActive && !isActive { settled.resolve(.success(())) }
            logCaughtUp(wasActive: wasActive)
            if wasActive, !isActive { await ended(self) }
        }
    }

    /// Says in the log what nobody would notice else.
    private func tell(_ news: ReplicationInterruptions.News) {
        let logger = builder.logger
        switch news {
        case .heldUp(let failure):
            let isOver = state.activity == .stopped || state.halfFailure != nil
            let text: Logger.Message = isOver ? "a replication has stopped" : "a replication is held up, and tries again"
            logger.log(
                level: isOver || failure.kind == .refused ? .error : .warning, text,
                metadata: ["replication": "\(id)", "error": "\(failure.message)"])
        case .restored:
            logger.warning(
                "the server of a replication is not what it was, and gets again what it has lost",
                metadata: ["replication": "\(id)", "seen": "\(state.restoration ?? "")"])
        }
    }

    /// Says once in the log that everything has been replicated; after a break, once more.
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

/// What became of documents since the process has started, as Sync Gateway counts it.
package struct ReplicationTally: Hashable, Sendable {
    /// Pulled, and stored here.
    package private(set) var read = 0
    /// Removed here because access to them was lost.
    package private(set) var purged = 0
    package private(set) var rejectedHere = 0
    /// Pushed, and stored there.
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
