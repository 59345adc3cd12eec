import Cutover
import Documents
import Foundation
import Gateway
import TestSupport

/// The bridge and its clients, and what they do one after the other.
final class World {
    let bridge: Node
    let upstreams: [Upstream: Node]
    var clients: [any SimulatedClient]

    /// Who the clients log in as at the bridge; `nil` for those who may see everything.
    let readers: [Reader?]

    /// Who may see what there.
    let access: AccessBook

    /// The server with which each client replicates.
    var homes: [Node]
    let ledger = Ledger()

    /// How far the bridge has come in taking the place of the legacy upstream; `nil` where there is none.
    var stage: CutoverStage? {
        didSet { bridge.predecessor = stage?.inheritsCheckpoints == true ? upstreams[.legacy] : nil }
    }

    /// The latest backup of each server.
    var backups: [Server: Backup] = [:]

    /// Whether the bridge was restored, and has not replicated with everybody since.
    var isBehind = false

    /// Documents that lived in collections when an app gained these, by their places in its default collection.
    var placedElsewhere: Set<Place> = []

    /// When each client was at the bridge for the last time, as a mark of the ledger.
    var visits: [Int: Int] = [:]

    /// The latest backup of each device.
    var deviceBackups: [Int: any SimulatedClient] = [:]

    /// How many devices have got a copy of another one's database: each copy has a UUID of its own.
    var copies = 0
    private(set) var trace = Trace()
    private let folder: String

    /// Hours since the beginning.
    var hours = 0

    /// Where stores go: into memory where there is such a place, since a commit on a disk takes longer than all else.
    private static var disk: String {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
    }

    /// - Parameter client: makes a client; tests put in one that misbehaves.
    init(
        _ schedule: Schedule, client: (Device, String) throws -> any SimulatedClient = { try $0.client($1) }
    ) async throws {
        folder = "\(Self.disk)/simulation-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let bridge = try await Node(
            .bridge(isRouted: schedule.isRouted, deltas: schedule.hasDeltas, resolves: schedule.resolvesConflicts), in: folder)
        var upstreams: [Upstream: Node] = [:]
        if schedule.upstreams.contains(.legacy) {
            upstreams[.legacy] = try await Node(
                .old(refusesBranches: schedule.refusesBranches), in: folder, countsHigh: schedule.countsHigh)
        }
        if schedule.upstreams.contains(.modern) { upstreams[.modern] = try await Node(.new, in: folder) }
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

    func note(_ line: String) {
        WireLog.note(line)
        trace.note(line)
    }

    /// Carries out a step to its end.
    func perform(_ operation: Operation) async throws {
        let result = try await result(of: operation)
        note("\(operation)\(result.isEmpty ? "" : ": \(result)")")
        if case .step = operation { try await judgeStage() }
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
        case .repoint(let client): return repoint(client)
        case .backUp(let server): return try await backUp(server)
        case .restore(let server): return try await restore(server)
        case .step(let action): return step(action)
        case .clock(let hours): return try await turnClock(by: hours)
        case .device(let client, let step): return try await change(client, by: step)
        case .forget(let client):
            ledger.happen(.forgot)
            clients[client].forgetCheckpoints()
        case .restart:
            ledger.happen(.restarted)
            try await bridge.restart()
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

    private func repoint(_ client: Int) -> String {
        guard let old = upstreams[.legacy], clients[client].speaksLegacyProtocol, readers[client] == nil, !old.refusesBranches else {
            return "nowhere to go"
        }
        ledger.happen(.repointed)
        homes[client] = homes[client] === old ? bridge : old
        return "to the \(homes[client].name)"
    }
}

extension Int {
    /// Notes that something happened, unless it did to nothing.
    fileprivate func counted(as happening: Happening, in ledger: Ledger) -> Int {
        if self > 0 { ledger.happen(happening) }
        return self
    }
}
