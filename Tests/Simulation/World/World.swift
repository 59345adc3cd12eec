import Cutover
import Documents
import Foundation
import Gateway
import TestSupport

/// The bridge and its clients, and the sequence of their steps.
final class World {
    let bridge: Node
    let upstreams: [Upstream: Node]
    var clients: [any SimulatedClient]

    /// The clients' users at the bridge; `nil` for full access.
    let readers: [Reader?]

    /// The access of users at the bridge.
    let access: AccessBook

    /// The server with which each client replicates.
    var homes: [Node]
    let ledger = Ledger()

    /// The stage of the cutover from the legacy upstream; `nil` without a cutover.
    var stage: CutoverStage? {
        didSet { bridge.predecessor = stage?.inheritsCheckpoints == true ? upstreams[.legacy] : nil }
    }

    /// The bridges that each client's next replication goes to.
    var balances: [Balance]

    /// The number of rounds in which all have replicated.
    var rounds = 0

    /// The latest backup of each server.
    var backups: [Server: Backup] = [:]

    /// The standby of the bridges' PostgreSQL; `nil` for none.
    var standby: Backup?

    /// Whether the bridge may lack documents of its clients: it was restored, or a client of the old server came, and not all have replicated since.
    var isBehind = false

    /// Documents that lived in collections when an app gained these, by their names in its default collection.
    var placedElsewhere: Set<Place> = []

    /// The last connection of each client to the bridge, as a mark of the ledger.
    var visits: [Int: Int] = [:]

    /// The latest backup of each device.
    var deviceBackups: [Int: any SimulatedClient] = [:]

    /// The number of devices with a copy of another device's database: each copy has a UUID of its own.
    var copies = 0
    private(set) var trace = Trace()
    private let folder: String

    /// Hours since the beginning.
    var hours = 0

    /// The folder for stores: in memory if possible, because a commit on a disk takes longer than everything else.
    private static var disk: String {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
    }

    /// - Parameter client: Creates a client; tests pass a faulty one.
    init(
        _ schedule: Schedule, client: (Device, String) throws -> any SimulatedClient = { try $0.client($1) }
    ) async throws {
        folder = "\(Self.disk)/simulation-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let place: any StorePlace =
            schedule.engine == .sqlite
            ? SQLitePlace(folder, DatabaseConfiguration.bridge(isRouted: false).name)
            : try PostgreSQLPlace(bridges: schedule.engine.bridges, listens: schedule.listens)
        let bridge = try await Node(
            .bridge(isRouted: schedule.isRouted, deltas: schedule.hasDeltas, resolves: schedule.resolvesConflicts), in: place,
            bridges: schedule.engine.bridges)
        var upstreams: [Upstream: Node] = [:]
        if schedule.upstreams.contains(.legacy) {
            upstreams[.legacy] = try await Node(
                .old(refusesBranches: schedule.refusesBranches), in: SQLitePlace(folder, DatabaseConfiguration.old.name),
                countsHigh: schedule.countsHigh)
        }
        if schedule.upstreams.contains(.modern) {
            upstreams[.modern] = try await Node(.new, in: SQLitePlace(folder, DatabaseConfiguration.new.name))
        }
        clients = try schedule.devices.enumerated().map { try client($1, "client-\($0)-gen\($1.generation.rawValue)") }
        let access = AccessBook()
        readers = zip(clients, schedule.devices).map { client, device in
            device.channels.map { channels -> Reader in
                access.model.general[client.name] = channels
                return Reader(client.name, access)
            }
        }
        self.access = access
        homes = schedule.devices.map { device in
            switch device.home {
            case .bridge: bridge
            case .old: upstreams[.legacy] ?? bridge
            case .new: upstreams[.modern] ?? bridge
            }
        }
        balances = schedule.devices.map { _ in Balance(first: 0) }
        stage = upstreams[.legacy] == nil ? nil : schedule.stage
        bridge.predecessor = stage?.inheritsCheckpoints == true ? upstreams[.legacy] : nil
        self.bridge = bridge
        self.upstreams = upstreams
        if readers.contains(where: { $0 != nil }) {
            access.model.general[AccessBook.team] = [Content.channels[0]]
            try await bridge.put(AccessBook.team, by: access)
        }
        guard !schedule.comesLate else { return }
        for reader in readers.compactMap(\.self) { try await bridge.put(reader.name, by: access) }
    }

    func close() async throws {
        for node in [bridge] + upstreams.values { try await node.close() }
        try FileManager.default.removeItem(atPath: folder)
    }

    func record(_ line: String) {
        WireLog.record(line)
        trace.record(line)
    }

    /// Carries out a step to its end.
    func perform(_ operation: Operation) async throws {
        let result = try await result(of: operation)
        record("\(operation)\(result.isEmpty ? "" : ": \(result)")")
        if case .step = operation { try await checkStage() }
    }

    private func result(of operation: Operation) async throws -> String {
        switch operation {
        case .edit(let client, let subject, let edit):
            return try clients[client].edit(edit, Subject.all[subject], ledger: ledger) ?? "nothing to do"
        case .replicate(let client, let direction, let fault): return try await replicate(client, direction, fault)
        case .replicateUpstream(let upstream, let direction, let fault): return try await replicate(upstream, direction, fault)
        case .regrant(let client, let channels, let position): return try await regrant(client, channels, during: position)
        case .access(let step): try await change(step)
        case .refuse(let upstream, let refusal, let direction, let fault):
            return try await replicate(upstream, direction, fault, refusal: refusal)
        case .trouble(let trouble, let direction): return try await replicate(direction, trouble)
        case .tryAgain: return try await tryAgain()
        case .repoint(let client): return try await repoint(client)
        case .backUp(let server): return try await backUp(server)
        case .restore(let server): return try await restore(server)
        case .detachStandby: return try await detachStandby()
        case .promote: return try await promote()
        case .step(let action): return step(action)
        case .clock(let hours): return try await turnClock(by: hours)
        case .device(let client, let step): return try await change(client, by: step)
        case .forget(let client):
            ledger.happen(.forgot)
            clients[client].forgetCheckpoints()
        case .restart:
            ledger.happen(.restarted)
            try await bridge.restart()
        case .balance(let client, let balance): balances[client] = balance
        case .revive: return try await revive()
        case .restartOne(let bridge): return try await restart(bridge)
        case .takeOver(let upstream, let direction, let stop): return try await takeOver(upstream, direction, stop)
        case .migrateInTurns(let count): return try await migrate(stoppingAfter: count)
        case .follow(let client, let writer, let bridge, let subject, let number):
            return try await follow(client, writer, at: bridge, subject, number)
        case .migrate: return "\(try await bridge.migrate().counted(as: .moved, in: ledger)) moved"
        case .revert: return "\(try await bridge.revert().counted(as: .movedBack, in: ledger)) moved back"
        }
        return ""
    }

    private func turnClock(by difference: Int) async throws -> String {
        hours += difference
        if difference < 0 { ledger.happen(.clockWentBack) }
        return "\(try await bridge.expire(hours: hours).counted(as: .expired, in: ledger)) expired"
    }
}

extension Int {
    /// Counts a case, unless it had no effect.
    fileprivate func counted(as happening: Happening, in ledger: Ledger) -> Int {
        if self > 0 { ledger.happen(happening) }
        return self
    }
}
