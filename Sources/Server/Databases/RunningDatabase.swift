import BridgeConfiguration
import Coordination
import Cutover
import Documents
import Gateway
import HTTP
import Logging
import ModernProtocol
import ReplicationService
import Storage
import Telemetry

/// A database in service, with its state: online or offline, and the stage of its cutover.
final class RunningDatabase: Sendable {
    /// Where this database's configuration comes from.
    enum Origin: Sendable {
        /// The configuration file. Changes on the admin port last until the next start.
        case file
        /// An administrator on the admin port. The store holds the configuration.
        case administrator
    }

    let database: Database
    let access: DatabaseAccess

    /// The replications with other servers.
    let replications: Replications
    let store: any StoreEngine
    let input: DatabaseInput
    let origin: Origin
    let resync: ResyncRunner
    let moves: MoveRunner
    let expiry: ExpiryRunner
    let misplaced: MisplacedCounter
    let visits: VisitWriter

    /// Watches whether the store can be reached.
    let watch: StoreWatch

    /// The lease of the work that must run once; `nil` where no other bridge can have the store.
    let lease: WorkLease?

    /// Counts of delta sync on the connections of 2.x+ clients.
    let deltas: DeltaCounter

    /// The counts since the database was configured.
    let metrics: MetricsRegistry

    /// Runs the steps of the cutover; `nil` where none is configured.
    let cutover: CutoverRunner?

    /// Decides which devices are passed on to the old server; `nil` where every client is served here.
    let devices: DeviceRouter?

    /// Watches the moved devices; `nil` where that is not configured.
    let deviceGuard: DeviceGuard?

    /// The requests in progress, including those begun before a reconfiguration, because they use the same store.
    let uses: WaitGroup

    private struct Status {
        var isOnline: Bool
        /// Signalled when the connected clients have to disconnect.
        var leaving = StopSignal()
        /// Incremented by each online or offline request. A delayed `_online` checks it to see whether it was superseded.
        var stateRequests = 0

        /// The stage of the cutover; `nil` without a cutover.
        var stage: CutoverStage?
        /// Signalled when 1.x clients have to disconnect.
        var legacyLeaving = StopSignal()
    }

    /// Signalled when the database is removed or changed: requests that are passed on end. They do not end while it is offline.
    let retiring = StopSignal()

    private let status: Lock<Status>
    private let known: Lock<ServerConfiguration.ServedDatabase>

    init(
        database: Database, work: Database, lease: WorkLease?, access: DatabaseAccess, replications: Replications, store: any StoreEngine,
        served: ServerConfiguration.ServedDatabase, stage: CutoverStage? = nil, devices: DeviceRouter? = nil, input: DatabaseInput,
        origin: Origin, isOnline: Bool, uses: WaitGroup, metrics: MetricsRegistry, logger: Logger
    ) {
        self.devices = devices
        self.database = database
        self.lease = lease
        self.access = access
        self.replications = replications
        self.store = store
        known = Lock(served)
        self.input = input
        self.origin = origin
        self.uses = uses
        self.metrics = metrics
        deltas = DeltaCounter(metrics)
        resync = ResyncRunner(work, logger: logger.of(.crud))
        moves = MoveRunner(work, logger: logger.of(.crud))
        expiry = ExpiryRunner(work, logger: logger.of(.crud))
        misplaced = MisplacedCounter(work, logger: logger.of(.crud))
        visits = VisitWriter(database.visits, logger: logger.of(.crud))
        watch = StoreWatch(store, logger: logger)
        cutover = served.cutover.map {
            CutoverRunner(
                meter: CutoverMeter(
                    database: database, store: store, work: lease.map { $0.fenced(store) } ?? store, lease: lease,
                    replications: replications,
                    configuration: $0),
                logger: logger.of(.admin))
        }
        deviceGuard = devices == nil ? nil : served.cutover?.devices?.guardRules.map { DeviceGuard($0, logger: logger.of(.admin)) }
        status = Lock(Status(isOnline: isOnline, stage: stage))
    }

    /// The current configuration.
    var served: ServerConfiguration.ServedDatabase { known.withLock { $0 } }

    /// Applies the replications of a new configuration.
    func replicate(_ definitions: [String: ReplicationDefinition]) async {
        known.withLock { $0.replications = definitions }
        await replications.apply(served.replications(at: stage))
    }

    /// The stage of the cutover; `nil` without a cutover.
    var stage: CutoverStage? { status.withLock { $0.stage } }

    /// Enters another stage: changes the direction of the replication with the old server, and admits or disconnects 1.x clients.
    func enter(_ stage: CutoverStage) async {
        let leaving = status.withLock { status -> StopSignal? in
            status.stage = stage
            guard stage.servesLegacyClients else { return status.legacyLeaving }
            if status.legacyLeaving.isRaised { status.legacyLeaving = StopSignal() }
            return nil
        }
        leaving?.raise()
        devices?.enter(stage)
        // Devices that were passed on have written at the old server until now. The bridge that pulls waits for them.
        if !stage.pullsFromLegacy, lease?.isHeld != false { await devices?.waitForPull() }
        await replications.apply(served.replications(at: stage))
    }

    /// The signal that disconnects 1.x clients; `nil` if the stage does not admit them.
    var legacyShutdown: StopSignal? {
        status.withLock { $0.stage?.servesLegacyClients == false ? nil : $0.legacyLeaving }
    }

    var isOnline: Bool { status.withLock { $0.isOnline } }

    /// The state in Sync Gateway's terms: `Online`, `Offline` or `Resyncing`; and `Unreachable` while the store's server is away.
    var state: String { watch.isCutOff ? "Unreachable" : isOnline ? "Online" : resync.isRunning ? "Resyncing" : "Offline" }

    /// Starts to watch the store. Clients are disconnected when it is lost: their feeds would wait for changes that cannot come.
    ///
    /// - Parameter news: called with the values that other bridges change; `nil` if another bridge has put a new store in the place of this one.
    func startWatch(news: @escaping @Sendable (StoreWatch.News?, RunningDatabase) async -> Void) {
        watch.start { [weak self] isLost in
            guard let self else { return }
            guard isLost else { return status.withLock { if $0.isOnline { $0.leaving = StopSignal() } } }
            leaving.raise()
        } news: { [weak self] found in
            if let self { await news(found, self) }
        }
    }

    /// Signalled when clients have to disconnect because the database goes offline or is removed.
    var leaving: StopSignal { status.withLock { $0.leaving } }

    /// The number of online and offline requests so far.
    var stateRequests: Int { status.withLock { $0.stateRequests } }

    /// Admits clients again.
    ///
    /// - Parameter requests: the value of ``stateRequests`` at the time of the request. If it has changed, the call does nothing. `nil`
    ///   skips the check.
    func goOnline(after requests: Int? = nil) {
        status.withLock { status in
            if let requests, requests != status.stateRequests { return }
            status.stateRequests += 1
            guard !status.isOnline else { return }
            status.isOnline = true
            status.leaving = StopSignal()
        }
    }

    /// Refuses clients and disconnects the present ones: feeds end, and connections of 2.x+ clients are dropped, so that they reconnect.
    func goOffline() {
        let leaving = status.withLock { status in
            status.isOnline = false
            status.stateRequests += 1
            return status.leaving
        }
        leaving.raise()
    }

    /// Stops all work and waits for its end, so that the store can be closed.
    func retire() async {
        goOffline()
        retiring.raise()
        await watch.stop()
        await lease?.stop(leaves: true)
        await deviceGuard?.stop()
        await cutover?.comparison.stop()
        await replications.close()
        await resync.stop()
        await moves.stop()
        await expiry.stop()
        await misplaced.stop()
        await uses.wait()
        await visits.stop()
        await devices?.close()
        await access.close()
    }

    /// The body of the reply to a client's request while the database is not online; `nil` while it is.
    func refusal(describes: Bool) -> [UInt8]? {
        guard !isOnline else { return nil }
        var bytes: [UInt8] = []
        guard describes else {
            let reason = resync.isRunning ? "DB is Resyncing - try again later" : "DB is currently under maintenance"
            JSONValue.object([JSONMember("error", .string("Service Unavailable")), JSONMember("reason", .string(reason))])
                .append(to: &bytes)
            return bytes
        }
        JSONValue.object([
            JSONMember("db_name", .string(database.name)), JSONMember("update_seq", .number("0")),
            JSONMember("committed_update_seq", .number("0")), JSONMember("instance_start_time", .string("0")),
            JSONMember("compact_running", .bool(false)), JSONMember("purge_seq", .number("0")),
            JSONMember("disk_format_version", .number("0")), JSONMember("state", .string(state)),
        ]).append(to: &bytes)
        return bytes
    }
}

extension ServerConfiguration.ServedDatabase {
    /// The replications at a stage. The replication with the old server has the stage's direction, or is left out.
    func replications(at stage: CutoverStage?) -> [String: ReplicationDefinition] {
        guard let cutover, let stage, let legacy = replications[cutover.legacy] else { return replications }
        var directed = replications
        directed[cutover.legacy] = stage.direction.map { legacy.directed($0) }
        return directed
    }
}

extension CutoverStage {
    /// The direction of replication between the database and its old server; `nil` for none.
    var direction: DefinedDirection? {
        switch (pullsFromLegacy, pushesToLegacy) {
        case (true, true): .pushAndPull
        case (true, false): .pull
        case (false, true): .push
        case (false, false): nil
        }
    }
}
