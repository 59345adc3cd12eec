import BridgeConfiguration
import Cutover
import Documents
import Gateway
import HTTP
import Logging
import ModernProtocol
import ReplicationService
import SQLiteStorage
import Storage
import Synchronization

/// A database that is being served, and whether clients get in.
final class RunningDatabase: Sendable {
    /// Who says that it is there.
    enum Origin: Sendable {
        /// The configuration file: what is changed on the admin port holds until the next start.
        case file
        /// Somebody on the admin port: its configuration stands in its store.
        case administrator
    }

    let database: Database
    let access: DatabaseAccess

    /// What it replicates with others.
    let replications: Replications
    let store: SQLiteStore
    let input: DatabaseInput
    let origin: Origin
    let resync: ResyncRunner
    let moves: MoveRunner
    let expiry: ExpiryRunner
    let misplaced: MisplacedCounter
    let visits: VisitWriter

    /// What delta sync does on the connections of its 2.x+ clients.
    let deltas = DeltaCounter()

    /// Takes the steps of its cutover; `nil` where none is configured.
    let cutover: CutoverRunner?

    /// Requests that are being answered: also those that came before the database was configured anew, for they use the same store.
    let uses: UseCount

    private struct Standing {
        var isOnline: Bool
        /// Told when the clients of now have to go.
        var leaving = ShutdownSignal()
        /// How often somebody has said what it shall be.
        var words = 0

        /// Where it stands in its cutover; `nil` where there is none.
        var stage: CutoverStage?
        /// Told when clients of 1.x have to go.
        var legacyLeaving = ShutdownSignal()
    }

    private let standing: Mutex<Standing>
    private let known: Mutex<ServerConfiguration.ServedDatabase>

    init(
        database: Database, access: DatabaseAccess, replications: Replications, store: SQLiteStore,
        served: ServerConfiguration.ServedDatabase, stage: CutoverStage? = nil, input: DatabaseInput, origin: Origin, isOnline: Bool,
        uses: UseCount, logger: Logger
    ) {
        self.database = database
        self.access = access
        self.replications = replications
        self.store = store
        known = Mutex(served)
        self.input = input
        self.origin = origin
        self.uses = uses
        resync = ResyncRunner(database, logger: logger.of(.crud))
        moves = MoveRunner(database, logger: logger.of(.crud))
        expiry = ExpiryRunner(database, logger: logger.of(.crud))
        misplaced = MisplacedCounter(database, logger: logger.of(.crud))
        visits = VisitWriter(database.visits, logger: logger.of(.crud))
        cutover = served.cutover.map {
            CutoverRunner(
                meter: CutoverMeter(database: database, store: store, replications: replications, configuration: $0),
                logger: logger.of(.admin))
        }
        standing = Mutex(Standing(isOnline: isOnline, stage: stage))
    }

    /// What is said of it now.
    var served: ServerConfiguration.ServedDatabase { known.withLock { $0 } }

    /// Has it replicate what a new configuration says.
    func replicate(_ definitions: [String: ReplicationDefinition]) async {
        known.withLock { $0.replications = definitions }
        await replications.apply(served.replications(at: stage))
    }

    /// Starts what it replicates, in the directions of its stage.
    func openReplications() async throws {
        try await replications.open(served.replications(at: stage))
    }

    /// Where it stands in its cutover; `nil` where there is none.
    var stage: CutoverStage? { standing.withLock { $0.stage } }

    /// Has it stand at another stage: the replication with the old server goes that stage's way from now on, and clients of 1.x are let in or
    /// told to go.
    func enter(_ stage: CutoverStage) async {
        let leaving = standing.withLock { standing -> ShutdownSignal? in
            standing.stage = stage
            guard stage.servesLegacyClients else { return standing.legacyLeaving }
            if standing.legacyLeaving.hasBegun { standing.legacyLeaving = ShutdownSignal() }
            return nil
        }
        leaving?.begin()
        await replications.apply(served.replications(at: stage))
    }

    /// What tells clients of 1.x to go; `nil` if they are not let in at all.
    var legacyShutdown: ShutdownSignal? {
        standing.withLock { $0.stage?.servesLegacyClients == false ? nil : $0.legacyLeaving }
    }

    var isOnline: Bool { standing.withLock { $0.isOnline } }

    /// Sync Gateway's word for how it is: `Online`, `Offline` or `Resyncing`.
    var state: String { isOnline ? "Online" : resync.isRunning ? "Resyncing" : "Offline" }

    /// Told when clients have to go because the database goes offline or away.
    var leaving: ShutdownSignal { standing.withLock { $0.leaving } }

    /// How often an administrator has said that it shall be online or offline.
    var words: Int { standing.withLock { $0.words } }

    /// Lets clients in again.
    ///
    /// - Parameter words: if given, only while no administrator has said anything since there were so many ``words``.
    func goOnline(after words: Int? = nil) {
        standing.withLock { standing in
            if let words, words != standing.words { return }
            standing.words += 1
            guard !standing.isOnline else { return }
            standing.isOnline = true
            standing.leaving = ShutdownSignal()
        }
    }

    /// Lets no more clients in and ends what runs: feeds end, and connections of 2.x+ clients are dropped, so that they come back.
    func goOffline() {
        let leaving = standing.withLock { standing in
            standing.isOnline = false
            standing.words += 1
            return standing.leaving
        }
        leaving.begin()
    }

    /// Ends what runs and waits for it, so that the store can be closed.
    func retire() async {
        goOffline()
        await replications.close()
        await resync.rest()
        await moves.rest()
        await expiry.rest()
        await misplaced.rest()
        await uses.drained()
        await visits.rest()
        await access.close()
    }

    /// What a client's request is answered with while the database is not online; `nil` while it is.
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
    /// The replications as they go at a stage: that with the old server goes the stage's way, or not at all.
    func replications(at stage: CutoverStage?) -> [String: ReplicationDefinition] {
        guard let cutover, let stage, let legacy = replications[cutover.legacy] else { return replications }
        var directed = replications
        directed[cutover.legacy] = stage.direction.map { legacy.directed($0) }
        return directed
    }
}

extension CutoverStage {
    /// Which way documents go between the database and its old server; `nil` for none.
    var direction: ReplicationDirection? {
        switch (pullsFromLegacy, pushesToLegacy) {
        case (true, true): .pushAndPull
        case (true, false): .pull
        case (false, true): .push
        case (false, false): nil
        }
    }
}
