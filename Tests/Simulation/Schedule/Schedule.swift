import Cutover
import TestSupport

/// All parameters and steps of one simulation, drawn from a seed only.
struct Schedule: Hashable, Sendable {
    let seed: UInt64

    /// Each generation is present.
    let devices: [Device]

    /// Whether the bridge routes documents from the beginning.
    let isRouted: Bool

    /// Whether the bridge uses deltas.
    let hasDeltas: Bool
    let upstreams: Set<Upstream>

    /// The first stage of the cutover from the legacy upstream.
    let stage: CutoverStage

    /// Whether the legacy upstream keeps a single branch of each document.
    let refusesBranches: Bool

    /// Whether users are created when their clients connect for the first time, after documents and other users: as in a move of a fleet.
    let comesLate: Bool

    /// Whether the bridge closes losing branches at once, beside an upstream that keeps a single branch.
    let resolvesConflicts: Bool

    /// Whether the legacy upstream's sequences are as high as the bridge's.
    let countsHigh: Bool
    var operations: [Operation]

    /// The engine of the bridge's store.
    var engine = EngineKind.sqlite

    /// Whether bridges are notified of each other's commits.
    var listens = true

    init(
        seed: UInt64, devices: [Device], isRouted: Bool, hasDeltas: Bool = false, upstreams: Set<Upstream> = [],
        stage: CutoverStage = .dual, refusesBranches: Bool = false,
        comesLate: Bool = false, resolvesConflicts: Bool = false, countsHigh: Bool = false, operations: [Operation]
    ) {
        self.seed = seed
        self.devices = devices
        self.isRouted = isRouted
        self.hasDeltas = hasDeltas
        self.upstreams = upstreams
        self.stage = stage
        self.refusesBranches = refusesBranches
        self.comesLate = comesLate
        self.resolvesConflicts = resolvesConflicts
        self.countsHigh = countsHigh
        self.operations = operations
    }

    init(seed: UInt64, on engine: EngineKind = .sqlite) {
        var generator = SeededGenerator(seed: seed)
        var upstreams: Set<Upstream> = []
        var devices = Generation.allCases.map { Device(generation: $0, home: .bridge) }
        if Bool.random(using: &generator) {
            upstreams.insert(.legacy)
            devices.append(Device(generation: .first, home: .old))
        }
        if Bool.random(using: &generator) {
            upstreams.insert(.modern)
            devices.append(Device(generation: .third, home: .new))
        }
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            devices.append(Device(generation: Generation.allCases.randomElement(using: &generator) ?? .first, home: .bridge))
        }
        // In a third of the worlds some clients have limited access; moved fleets do.
        if generator.once(in: 3) {
            for index in devices.indices where devices[index].home == .bridge && generator.once(in: 2) {
                devices[index].channels = .drawn(from: &generator)
            }
        }
        let isRouted = Bool.random(using: &generator)
        let hasDeltas = Bool.random(using: &generator)
        let stage = generator.once(in: 3) ? .dual : CutoverStage.allCases.randomElement(using: &generator) ?? .dual
        let count = Int.random(in: 25...65, using: &generator)
        var operations = (0..<count).map { _ in Operation.drawn(devices, upstreams, from: &generator) }
        // Drawn last, so that a seed's other steps stay the same.
        let refusesBranches = upstreams.contains(.legacy) && generator.once(in: 3)
        let limited = devices.indices.filter { devices[$0].channels != nil }
        let comesLate = !limited.isEmpty && Bool.random(using: &generator)
        for _ in 0..<(limited.isEmpty ? 0 : Int.random(in: 0...6, using: &generator)) {
            let place = Int.random(in: 0...operations.count, using: &generator)
            operations.insert(.access(.drawn(limited, from: &generator)), at: place)
        }
        if Bool.random(using: &generator) {
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let client = Int.random(in: devices.indices, using: &generator)
                operations.insert(.drawn(for: client, of: devices, from: &generator), on: client, from: &generator)
                // An app that has gained collections may gain versions as well.
                guard devices[client].generation == .second, generator.once(in: 2) else { continue }
                operations.insert(.gainVersions, on: client, from: &generator)
            }
        }
        for index in devices.indices where devices[index].generation == .first {
            devices[index].software = LegacySoftware.allCases.randomElement(using: &generator) ?? .java
        }
        let resolvesConflicts = refusesBranches && Bool.random(using: &generator)
        let countsHigh = upstreams.contains(.legacy) && generator.once(in: 4)
        // An app that gains collections may use another URL of its server from then on.
        for place in operations.indices.reversed() {
            guard case .device(let client, .gainCollections) = operations[place], generator.once(in: 3) else { continue }
            operations.insert(.device(client: client, .changeURL), at: place + 1)
        }
        if upstreams.contains(.legacy), generator.once(in: 2) {
            devices.append(Device(generation: .second, home: .old))
            for _ in 0..<Int.random(in: 8...16, using: &generator) {
                let place = Int.random(in: 0...operations.count, using: &generator)
                operations.insert(.drawn(forMoved: devices.count - 1, from: &generator), at: place)
            }
        }
        for index in devices.indices where devices[index].generation == .first {
            devices[index].isContinuous = Bool.random(using: &generator)
        }
        self.init(
            seed: seed, devices: devices, isRouted: isRouted, hasDeltas: hasDeltas, upstreams: upstreams, stage: stage,
            refusesBranches: refusesBranches, comesLate: comesLate, resolvesConflicts: resolvesConflicts, countsHigh: countsHigh,
            operations: operations)
        if engine == .postgresql { self = withBridges() }
    }
}
