import Access
import Foundation
import Gateway
import LegacyServer
import Logging
import ModernProtocol
import ModernServer
import Storage

/// A server of this package in the test process: one or several processes over one store, each with both listeners.
final class Node {
    let name: String
    let place: any StorePlace

    /// Its processes. Those that have crashed stay here until they are started again.
    var sites: [Site] = []

    /// The process that does the work which must run once, as far as known.
    var working = 0

    /// The database for that work: its writes check the lease.
    private(set) var workDatabase: Database?

    /// Whether writes of the work check the lease. If not, the simulation detects it.
    var checksLease = true

    /// The time of the bridges' signs of life.
    var time = Duration.zero

    var configuration: DatabaseConfiguration

    /// The number of crashes, restores and replacements.
    private(set) var generation = 0

    /// The number of started processes.
    private var starts = 0
    private let legacy = LegacyListener(logger: Logger.silent)
    private let modern = ModernListener(logger: Logger.silent)

    /// Whether it has small sequences, as nearly all old servers do.
    let countsLow: Bool

    /// Whether it keeps a single branch of each document, as a Sync Gateway with `allow_conflicts: false`.
    var refusesBranches: Bool { configuration.conflicts == .refuse }

    /// The clients' old server, while it is asked for their checkpoints.
    var predecessor: Node?

    /// - Parameters:
    ///   - bridges: The number of processes.
    ///   - countsHigh: Whether an old server's sequences are as high as those of a bridge.
    init(_ configuration: DatabaseConfiguration, in place: any StorePlace, bridges: Int = 1, countsHigh: Bool = false) async throws {
        name = configuration.name
        countsLow = configuration.name == DatabaseConfiguration.old.name && !countsHigh
        self.configuration = configuration
        self.place = place
        for number in 0..<bridges { sites.append(try await start(number, hasLease: bridges > 1)) }
    }

    /// Whether it has several processes.
    var isShared: Bool { sites.count > 1 }

    private func start(_ number: Int, hasLease: Bool) async throws -> Site {
        starts += 1
        return try await start(number, over: try await place.open(number), lease: hasLease ? SimulatedLease("bridge \(starts)") : nil)
    }

    private func start(_ number: Int, over opened: OpenedStore, lease: SimulatedLease? = nil) async throws -> Site {
        try await Site(number, configuration, over: opened, lease: lease)
    }

    // MARK: Processes

    /// The process that serves requests for another one while that one is down.
    func site(_ wanted: Int) -> Site {
        let site = sites[wanted % sites.count]
        return site.isUp ? site : sites.first(where: \.isUp) ?? site
    }

    var database: Database { site(working).database }
    var store: MortalStore { site(working).store }

    /// The database for work that must run once.
    var work: Database { workDatabase ?? database }

    /// Lets the bridges find out which of them has the lease.
    func renewLeases() async throws {
        workDatabase = nil
        try await worker()
    }

    /// Makes the database for the work of the process that has the lease.
    func setWorker(_ site: Site) {
        working = site.number
        workDatabase = site.lease.flatMap { checksLease ? $0 : nil }.map { lease in site.database.fenced { try lease.check($0) } }
    }

    /// Whether any process has crashed.
    var isDown: Bool { sites.contains { $0.store.isDead } }

    /// The number of processes that have crashed and were not started again.
    var deaths: Int { sites.filter(\.store.isDead).count }

    /// Whether a scheduled fault has occurred.
    var hasReachedFault: Bool { sites.contains(where: \.store.hasReachedFault) }

    /// Ends all scheduled faults.
    func disarm() {
        for site in sites { site.store.arm(nil as Fault?) }
    }

    /// Stops in order and starts again, possibly with another configuration.
    func restart(_ change: (inout DatabaseConfiguration) -> Void = { _ in }) async throws {
        change(&configuration)
        for site in sites { try await stop(site) }
        for number in sites.indices { sites[number] = try await start(number, hasLease: isShared) }
        workDatabase = nil
    }

    /// Stops one process in order and starts it again.
    func restart(_ site: Site, meanwhile: () async throws -> Void) async throws {
        try await stop(site)
        site.isPaused = true
        try await meanwhile()
        sites[site.number] = try await start(site.number, hasLease: isShared)
    }

    private func stop(_ site: Site) async throws {
        if site.isUp, let lease = site.lease, lease.isHeld { try await lease.leave(site.store.engine) }
        try await site.close()
    }

    /// Starts the processes that have crashed.
    func recover() async throws {
        guard isDown else { return }
        let dead = sites.filter(\.store.isDead)
        for site in dead { try await site.close() }
        try place.recover()
        generation += 1
        for site in dead { sites[site.number] = try await start(site.number, hasLease: isShared) }
    }

    /// Starts with the contents of a backup, in place of its own.
    ///
    /// - Parameter raisesFence: Whether it is restored as by the command `restore`. Other servers are restored by a copy of their files.
    func restore(_ backup: String, raisesFence: Bool) async throws {
        for site in sites { try await site.close() }
        try await place.restore(backup)
        generation += 1
        if raisesFence {
            let store = try await place.open(0).engine
            // The width of the gap depends on the time.
            try await store.raiseFence(at: Date(timeIntervalSince1970: Double(3_600 * generation)))
            try await store.close()
        }
        for number in sites.indices { sites[number] = try await start(number, hasLease: isShared) }
        workDatabase = nil
    }

    func close() async throws {
        for site in sites { try await site.close() }
        try await place.remove()
    }

    // MARK: Another server in its place

    /// Creates another server from a backup, which runs beside this one, and could take its place.
    func substitute(from backup: String, in place: SQLitePlace) async throws -> (site: Site, responder: Responder) {
        let site = try await start(0, over: try place.openBeside(backup))
        return (site, responder(for: .administrator, at: site))
    }

    /// Hands its place over to another server.
    func handOver(to substitute: Site) async throws {
        for site in sites { try await site.close() }
        try place.recover()
        generation += 1
        sites = [substitute]
    }

    // MARK: What clients use

    /// The keyspace of a client's name.
    func keyspace(_ name: String, of database: Database? = nil) -> Keyspace {
        let database = database ?? self.database
        return CollectionName(name).flatMap { name.isEmpty ? nil : database.keyspace($0) } ?? database.unified
    }

    /// The 1.x side.
    func responder(for principal: Principal, at site: Site? = nil) -> Responder {
        Responder(
            database: site?.database ?? database, listener: legacy, principal: principal, countsLow: countsLow,
            inherits: predecessor?.database)
    }

    /// Serves a 2.x+ client's connection until it ends.
    func serve(_ socket: Pipe, as principal: Principal, _ subprotocol: Subprotocol, at site: Site? = nil) -> Task<Void, Never> {
        let origin = predecessor.map { Predecessor(database: $0.database) }
        return (site ?? self.site(working)).serve(socket, by: modern, as: principal, subprotocol, origin: origin)
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() } }
}
