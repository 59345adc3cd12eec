import Access
import Authentication
import BridgeConfiguration
import Coordination
import Crypto
import Cutover
import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes
import LegacyProtocol
import Logging
import PassThrough
import ReplicationService
import Scripting
import Storage
import Stores
import Supervision
import Telemetry

/// The databases that the bridge serves, by name: those of the configuration file and those created on the admin port.
///
/// Running requests continue with the database that they began with, even when it is reconfigured meanwhile.
final class DatabaseRegistry: Sendable {
    /// The key of the store setting that holds the configuration of a database created on the admin port.
    static let setting = "configuration"

    struct State {
        var running: [String: RunningDatabase] = [:]
        /// The databases that are being changed. There is one change at a time; meanwhile requests do not get a "not found".
        var changing: Set<String> = []
        /// The callers that wait for a change to end, by database.
        var waiters: [String: [CheckedContinuation<Void, Never>]] = [:]
        /// The databases of the last applied configuration file, by name.
        var file: [String: ServerConfiguration.ServedDatabase] = [:]
        /// The databases that were found to be their own upstream.
        var looping: Set<String> = []
        /// The databases whose store's server cannot be reached, with the reason.
        var unreachable: [String: String] = [:]
        /// The stores in a home that bridges share, as last read.
        var sharedNames: [String] = []
        /// The stored configurations of databases created on the admin port, as last written or followed here.
        var followed: [String: String] = [:]
    }

    /// Distinguishes the databases of this bridge from those of others; see ``ViaHeader``.
    private let identity = UUID().uuidString

    /// The bridge's metrics besides those of its databases.
    let metrics: MetricsRegistry

    /// Makes spans; `nil` if nothing is traced.
    let tracer: BridgeTracer?

    let scripts: ScriptEngine

    /// The memory budget for clients' data, shared by both ports.
    let memory: MemoryAccount

    /// The counts of requests at both ports.
    let requests: RequestCounts

    /// The clients seen since the start. Shared by all databases, so that it survives reconfigurations.
    private let firstClients = FirstClients()
    let configuration: ServerConfiguration

    /// The place of the stores of databases created on the admin port.
    let home: StoreHome

    /// Opens the databases whose stores could not be reached, and those that other bridges create.
    let opener = BackgroundTask()

    /// Raised when the bridge begins to stop.
    let stopping = StopSignal()

    /// Hands the work that must run once over to other bridges while this one serves on.
    let handOver = BackgroundTask()
    let state = Lock(State())
    let logger: Logger

    /// The connection to the supervisor, which restarts the bridge when it terminates.
    let supervisor: SupervisorConnection

    private init(
        _ configuration: ServerConfiguration, supervisor: SupervisorConnection, metrics: MetricsRegistry, tracer: BridgeTracer?,
        logger: Logger
    ) throws {
        home = try StoreHome(configuration.databasesFolder)
        self.configuration = configuration
        self.supervisor = supervisor
        self.logger = logger
        self.metrics = metrics
        self.tracer = tracer
        requests = RequestCounts(metrics)
        memory = MemoryAccount(limit: configuration.limits.memory, metrics: metrics)
        scripts = ScriptEngine(metrics: metrics)
    }

    /// The databases of the last applied configuration file, by name. Databases with a failed change keep their earlier entry.
    var file: [String: ServerConfiguration.ServedDatabase] { state.withLock { $0.file } }

    func record(_ served: ServerConfiguration.ServedDatabase?, inFileOf name: String) {
        state.withLock { $0.file[name] = served }
    }

    /// Opens the databases of the file, and those in its `databasesFolder`.
    static func open(
        _ configuration: ServerConfiguration, supervisor: SupervisorConnection = SupervisorConnection(),
        metrics: MetricsRegistry = MetricsRegistry(), tracer: BridgeTracer? = nil, logger: Logger
    ) async throws -> DatabaseRegistry {
        let registry = try DatabaseRegistry(configuration, supervisor: supervisor, metrics: metrics, tracer: tracer, logger: logger)
        do {
            for served in configuration.databases {
                try await registry.opening(served.configuration.name) {
                    registry.record(served, inFileOf: served.configuration.name)
                    do {
                        registry.put(try await registry.start(served, try DatabaseInput(served.configuration), .file))
                    } catch let error as StorageError where served.store.isShared && error.mayPass {
                        registry.setUnreachable(served.configuration.name, error)
                    }
                }
            }
        } catch {
            try? await registry.close()
            throw error
        }
        await registry.readSharedNames()
        for name in registry.storedNames() where registry[name] == nil {
            do {
                try await registry.opening(name) {
                    if let running = try await registry.startStored(name) { registry.put(running) }
                }
            } catch {
                logger.error(
                    "a database that was made on the admin port cannot be opened; the others are served",
                    metadata: ["database": "\(name)", "error": "\(error)"])
            }
        }
        await registry.warnOfShadowedDatabases()
        // A replication may be with another database of this bridge, so all databases are registered first.
        for name in registry.names {
            guard let running = registry[name] else { continue }
            try await running.openReplications()
        }
        registry.startOpener()
        return registry
    }

    /// Opens a database at the start of the bridge, unless opening it has terminated the bridge twice.
    private func opening(_ name: String, _ open: () async throws -> Void) async throws {
        let part = StartPart(.database, name)
        guard !supervisor.isHeld(part) else {
            return logger.critical("\(Self.heldBack(name))", metadata: ["database": "\(name)"])
        }
        supervisor.begin(part)
        defer { supervisor.settle(part) }
        try await open()
    }

    static func heldBack(_ name: String) -> String {
        "Database \"\(name)\" has ended the bridge twice at its start and is held back; find the cause in the log, correct it, then reload the configuration (SIGHUP)"
    }

    /// Whether a database is held back because it has terminated the bridge.
    func isHeld(_ name: String) -> Bool { supervisor.isHeld(StartPart(.database, name)) }

    subscript(name: String) -> RunningDatabase? { state.withLock { $0.running[name] } }

    /// A lease on a database, which stays open until the lease ends; `nil` if there is no such database.
    func lease(_ name: String) -> DatabaseLease? {
        state.withLock { $0.running[name].map { DatabaseLease($0) } }
    }

    /// A database's ID in requests of this bridge to other servers.
    func trailID(_ name: String) -> String {
        Hex.text(SHA256.hash(data: Data("\(identity)/\(name)".utf8)).prefix(12))
    }

    /// Logs that a request has come back to the database that sent it. Logs it once a database, because it happens with every request.
    func reportLoop(_ name: String) {
        guard state.withLock({ $0.looping.insert(name).inserted }) else { return }
        logger.error(
            "a database is its own old server, directly or through other bridges; correct the remote of its replication",
            metadata: ["database": "\(name)"])
    }

    /// Whether a database may be missing because it is being changed.
    func isChanging(_ name: String) -> Bool { state.withLock { $0.changing.contains(name) } }

    var names: [String] { state.withLock { $0.running.keys.sorted() } }

    /// The old server for requests outside any database, with the name of a database; `nil` if no database passes requests on, or if they have
    /// several old servers.
    var oldServer: (name: String, devices: DeviceRouter)? {
        let active = state.withLock { $0.running.compactMapValues(\.devices) }.filter(\.value.isActive)
        guard let first = active.first, active.values.allSatisfy({ $0.server.root == first.value.server.root }) else { return nil }
        return (first.key, first.value)
    }

    /// Whether a request outside the databases would reach the old server's copy of one of them.
    func isOldDatabase(_ target: String) -> Bool {
        state.withLock { $0.running.values.compactMap(\.devices) }.contains { $0.server.isReached(by: target) }
    }

    /// Whether a database of this name is configured or stored, also while it is not in service.
    func isKnown(_ name: String) -> Bool {
        file[name] != nil || isChanging(name) || isHeld(name) || storedNames().contains(name)
    }

    func put(_ running: RunningDatabase) {
        let name = running.database.name
        state.withLock { state in
            state.running[name] = running
            state.unreachable[name] = nil
        }
        supervisor.release(StartPart(.database, name))
    }

    func removeRunning(_ name: String) -> RunningDatabase? {
        state.withLock { $0.running.removeValue(forKey: name) }
    }

    /// Runs a change of one database, exclusively.
    ///
    /// - Parameter waits: whether to wait for another change to end. Otherwise the call throws `serviceUnavailable`.
    func changing<Value>(_ name: String, waits: Bool = false, _ change: () async throws -> Value) async throws -> Value {
        while !state.withLock({ $0.changing.insert(name).inserted }) {
            guard waits else { throw AdminError.unavailable("Database \"\(name)\" is being changed; try again later") }
            await endOfChange(name)
        }
        defer {
            let waiters = state.withLock { state in
                state.changing.remove(name)
                return state.waiters.removeValue(forKey: name) ?? []
            }
            for waiter in waiters { waiter.resume() }
        }
        return try await change()
    }

    private func endOfChange(_ name: String) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.changing.contains(name) else { return true }
                state.waiters[name, default: []].append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Opens a store and starts its database.
    func start(
        _ served: ServerConfiguration.ServedDatabase, _ input: DatabaseInput, _ origin: RunningDatabase.Origin
    ) async throws -> RunningDatabase {
        let store = try await openStore(served.store, of: served.configuration.name)
        do {
            return try await start(served, input, origin, store: store, isOnline: !input.startsOffline)
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Opens the store of a database that will be served.
    func openStore(_ location: StoreLocation, of database: String) async throws -> any StoreEngine {
        try await location.open(StoreOptions(metrics: metrics.part([("database", database)])))
    }

    /// Starts a database over an open store.
    func start(
        _ served: ServerConfiguration.ServedDatabase, _ input: DatabaseInput, _ origin: RunningDatabase.Origin, store: any StoreEngine,
        isOnline: Bool, uses: WaitGroup = WaitGroup()
    ) async throws -> RunningDatabase {
        let name = served.configuration.name
        var logger = logger
        logger[metadataKey: "database"] = "\(name)"
        if let restriction = store.restriction { logger.error("the store is open for reading", metadata: ["reason": "\(restriction)"]) }
        // A database's counts begin anew with its configuration; the store's go on.
        let metrics = metrics.part([("database", name)])
        let database = try await Database(
            configuration: served.configuration, store: store, scripts: scripts, logger: logger.of(.crud), firstClients: firstClients,
            metrics: metrics)
        let upstream = LegacyUpstream(served)
        let memberships = upstream?.memberships(logger: logger.of(.auth))
        let authenticators =
            served.authenticators.isEmpty ? nil : Authenticators(served.authenticators, membership: memberships?.source)
        let checkpoints = upstream.map {
            UpstreamCheckpoints(
                $0.configuration, limits: served.authenticators.limits, authorityFile: served.authenticators.authorityFile)
        }
        let followsUpstream: @Sendable () async throws -> Bool = {
            guard let cutover = served.cutover else { return true }
            return try await !CutoverJournal(store: store).stage(beginningWith: cutover.firstStage).isDetached
        }
        let access = DatabaseAccess(
            store: store, database: name, configuration: served.access, authenticators: authenticators, checkpoints: checkpoints,
            followsUpstream: followsUpstream,
            vouches: {
                guard served.cutover?.devices != nil else { return false }
                return try await followsUpstream()
            }, metrics: metrics, logger: logger.of(.auth))
        let lease = store.isShared ? WorkLease(store, bridge: identity, isStopping: stopping.isRaised, logger: logger) : nil
        let work = lease.map { $0.fenced(database) } ?? database
        var builder = ReplicationBuilder(
            database: work, scripts: scripts, logger: logger.of(.replicate), trail: ViaHeader([trailID(name)])
        ) {
            upstream?.isServer(of: $0) ?? false
        }
        builder.goesOnAfterRefusals = true
        builder.metrics = metrics
        let replications = Replications(builder, supervisor: supervisor)
        var stage: CutoverStage?
        if let cutover = served.cutover { stage = try await CutoverJournal(store: store).stage(beginningWith: cutover.firstStage) }
        var devices: DeviceRouter?
        if let stage {
            devices = try await DeviceRouter(
                served, stage, access: access, database: database, store: store, metrics: metrics,
                limits: LegacyLimits(configuration.limits), memory: memory, logger: logger)
        }
        let running = RunningDatabase(
            database: database, work: work, lease: lease, access: access, replications: replications, store: store, served: served,
            stage: stage, devices: devices,
            input: input, origin: origin, isOnline: isOnline, uses: uses, metrics: metrics, logger: logger)
        do {
            let guest = served.configuration.guest
            try await access.accounts.configureGuest(isEnabled: guest.isEnabled, channels: Set(guest.channels))
            try await running.createMissingAccounts()
            if lease == nil { try await running.startMaintenance() }
            running.visits.start()
            running.startWatch { [weak self] in await self?.follow($0, $1) }
            running.deviceGuard?.start(on: running, in: self)
        } catch {
            await devices?.close()
            await access.close()
            await running.watch.stop()
            throw error
        }
        return running
    }

    /// Stops the replications of all databases, while their clients are still served.
    func stopReplicating() async {
        await handOver.finished()
        await withTaskGroup(of: Void.self) { group in
            for name in names {
                guard let running = self[name] else { continue }
                group.addTask {
                    await running.lease?.stop(leaves: true)
                    await running.replications.close()
                }
            }
        }
    }

    /// Stops all databases and closes their stores, concurrently.
    func close() async throws {
        await opener.stop()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names {
                guard let running = removeRunning(name) else { continue }
                group.addTask {
                    await running.retire()
                    try await running.database.close()
                }
            }
            try await group.waitForAll()
        }
    }
}
