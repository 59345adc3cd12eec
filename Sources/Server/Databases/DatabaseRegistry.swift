import Access
import BridgeConfiguration
import Crypto
import Cutover
import Foundation
import Gateway
import HTTP
import HTTPTypes
import Logging
import ReplicationService
import SQLiteStorage
import Scripting
import Storage
import Supervision
import Synchronization

/// The databases that the bridge serves, by name: those of the configuration file, and those that were made on the admin port.
///
/// Requests under way go on with the database as they found it, however it is changed meanwhile.
final class DatabaseRegistry: Sendable {
    /// The setting of a store that holds the configuration of a database made on the admin port.
    static let setting = "configuration"

    private struct State {
        var running: [String: RunningDatabase] = [:]
        /// Being changed: there is one change at a time, and meanwhile nobody is told that the database is not there.
        var changing: Set<String> = []
        /// Who waits for a change to end, by database.
        var waiters: [String: [CheckedContinuation<Void, Never>]] = [:]
        /// What the configuration file said last of its databases, by name.
        var file: [String: ServerConfiguration.ServedDatabase] = [:]
        /// Those that were seen to be their own old server.
        var looping: Set<String> = []
    }

    /// What tells the databases of this bridge from those of others; see ``ViaHeader``.
    private let identity = UUID().uuidString

    let scripts = ScriptEngine()

    /// On what clients' data draws, at both ports.
    let memory: MemoryAccount

    /// What both ports have answered.
    let requests = RequestCounts()

    /// Which clients have come since the start, whatever became of their databases' configurations meanwhile.
    private let firstClients = FirstClients()
    let configuration: ServerConfiguration
    private let state = Mutex(State())
    let logger: Logger

    /// The line to the supervisor, which starts the bridge again when it is ended.
    let supervisor: SupervisorConnection

    private init(_ configuration: ServerConfiguration, supervisor: SupervisorConnection, logger: Logger) {
        self.configuration = configuration
        self.supervisor = supervisor
        self.logger = logger
        memory = MemoryAccount(limit: configuration.limits.memory)
    }

    /// What the configuration file said last of its databases, as far as it was carried out, by name.
    var file: [String: ServerConfiguration.ServedDatabase] { state.withLock { $0.file } }

    func note(_ served: ServerConfiguration.ServedDatabase?, inFileOf name: String) {
        state.withLock { $0.file[name] = served }
    }

    /// Opens the databases of the file, and those that are in its `databasesFolder`.
    static func open(
        _ configuration: ServerConfiguration, supervisor: SupervisorConnection = SupervisorConnection(), logger: Logger
    ) async throws -> DatabaseRegistry {
        let registry = DatabaseRegistry(configuration, supervisor: supervisor, logger: logger)
        do {
            for served in configuration.databases {
                try await registry.opening(served.configuration.name) {
                    registry.put(try await registry.start(served, try DatabaseInput(served.configuration), .file))
                    registry.note(served, inFileOf: served.configuration.name)
                }
            }
        } catch {
            try? await registry.close()
            throw error
        }
        for name in registry.kept() where registry[name] == nil {
            do {
                try await registry.opening(name) {
                    if let running = try await registry.startKept(name) { registry.put(running) }
                }
            } catch {
                logger.error(
                    "a database that was made on the admin port cannot be opened; the others are served",
                    metadata: ["database": "\(name)", "error": "\(error)"])
            }
        }
        await registry.warnOfShadowedDatabases()
        // A replication may be with another database of this bridge, so all of them are there first.
        for name in registry.names {
            guard let running = registry[name] else { continue }
            try await running.openReplications()
        }
        return registry
    }

    /// Opens a database with the start of the bridge, unless it has ended the bridge twice by that.
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
        "Database \"\(name)\" has ended the bridge twice at its start and is held back; look at the log, mend it, then have the bridge read its configuration anew (SIGHUP)"
    }

    /// Whether a database is not opened because it has ended the bridge.
    func isHeld(_ name: String) -> Bool { supervisor.isHeld(StartPart(.database, name)) }

    subscript(name: String) -> RunningDatabase? { state.withLock { $0.running[name] } }

    /// A database that stays open as long as it is used; `nil` if it is not there.
    func lease(_ name: String) -> DatabaseLease? {
        state.withLock { $0.running[name].map { DatabaseLease($0) } }
    }

    /// A database's ID in requests of this bridge to other servers.
    func trailID(_ name: String) -> String {
        SHA256.hash(data: Data("\(identity)/\(name)".utf8)).prefix(12)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// A request has come back to the database that has sent it. Said once, as it happens again and again.
    func reportLoop(_ name: String) {
        guard state.withLock({ $0.looping.insert(name).inserted }) else { return }
        logger.error(
            "a database is its own old server, directly or by other bridges; correct the remote of its replication",
            metadata: ["database": "\(name)"])
    }

    /// Whether a database is not there because it is just being changed.
    func isChanging(_ name: String) -> Bool { state.withLock { $0.changing.contains(name) } }

    var names: [String] { state.withLock { $0.running.keys.sorted() } }

    func put(_ running: RunningDatabase) {
        let name = running.database.name
        state.withLock { $0.running[name] = running }
        supervisor.release(StartPart(.database, name))
    }

    func take(_ name: String) -> RunningDatabase? {
        state.withLock { $0.running.removeValue(forKey: name) }
    }

    /// Runs a change of one database, while nobody else changes it.
    ///
    /// - Parameter waits: whether to wait for another change to end, instead of being refused.
    func changing<Value>(_ name: String, waits: Bool = false, _ change: () async throws -> Value) async throws -> Value {
        while !state.withLock({ $0.changing.insert(name).inserted }) {
            guard waits else { throw AdminError(.serviceUnavailable, "Database \"\(name)\" is being changed; try again later") }
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

    /// Opens a store and gets its database ready.
    func start(
        _ served: ServerConfiguration.ServedDatabase, _ input: DatabaseInput, _ origin: RunningDatabase.Origin
    ) async throws -> RunningDatabase {
        try await start(served, input, origin, store: try SQLiteStore(path: served.store), isOnline: !input.startsOffline)
    }

    /// Gets a database ready over a store that is open.
    func start(
        _ served: ServerConfiguration.ServedDatabase, _ input: DatabaseInput, _ origin: RunningDatabase.Origin, store: SQLiteStore,
        isOnline: Bool, uses: UseCount = UseCount()
    ) async throws -> RunningDatabase {
        let name = served.configuration.name
        var logger = logger
        logger[metadataKey: "database"] = "\(name)"
        if let restriction = store.restriction { logger.error("the store is open for reading", metadata: ["reason": "\(restriction)"]) }
        let database = try await Database(
            configuration: served.configuration, store: store, scripts: scripts, logger: logger.of(.crud), firstClients: firstClients)
        let upstream = LegacyUpstream(served)
        let memberships = upstream?.memberships(logger: logger.of(.auth))
        let authenticators =
            served.authenticators.isEmpty ? nil : Authenticators(served.authenticators, membership: memberships?.source)
        let checkpoints = upstream.map {
            UpstreamCheckpoints(
                $0.configuration, limits: served.authenticators.limits, authorityFile: served.authenticators.authorityFile)
        }
        let access = DatabaseAccess(
            store: store, database: name, configuration: served.access, authenticators: authenticators, checkpoints: checkpoints,
            followsUpstream: {
                guard let cutover = served.cutover else { return true }
                return try await !CutoverJournal(store: store).stage(beginningWith: cutover.firstStage).isDetached
            },
            logger: logger.of(.auth))
        var builder = ReplicationBuilder(
            database: database, scripts: scripts, logger: logger.of(.replicate), trail: ViaHeader([trailID(name)])
        ) {
            upstream?.isServer(of: $0) ?? false
        }
        builder.goesOnAfterRefusals = true
        let replications = Replications(builder, supervisor: supervisor)
        var stage: CutoverStage?
        if let cutover = served.cutover { stage = try await CutoverJournal(store: store).stage(beginningWith: cutover.firstStage) }
        let running = RunningDatabase(
            database: database, access: access, replications: replications, store: store, served: served, stage: stage, input: input,
            origin: origin, isOnline: isOnline, uses: uses, logger: logger)
        do {
            let guest = served.configuration.guest
            try await access.accounts.configureGuest(isEnabled: guest.isEnabled, channels: Set(guest.channels))
            try await running.createMissingAccounts()
            try await running.resync.resume()
            running.expiry.start()
            running.misplaced.start()
            running.visits.start()
        } catch {
            await access.close()
            throw error
        }
        return running
    }

    /// Stops the replications of all databases, while their clients are still served.
    func stopReplicating() async {
        await withTaskGroup(of: Void.self) { group in
            for name in names {
                guard let running = self[name] else { continue }
                group.addTask { await running.replications.close() }
            }
        }
    }

    /// Ends everything and closes the stores, side by side.
    func close() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names {
                guard let running = take(name) else { continue }
                group.addTask {
                    await running.retire()
                    try await running.database.close()
                }
            }
            try await group.waitForAll()
        }
    }
}
