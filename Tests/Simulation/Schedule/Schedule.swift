import TestSupport

/// Everything that happens in one simulation, drawn from a seed alone.
struct Schedule: Hashable, Sendable {
    let seed: UInt64

    /// Each generation is there.
    let devices: [Device]

    /// Whether the bridge routes documents from the beginning.
    let isRouted: Bool
    let upstreams: Set<Upstream>
    var operations: [Operation]

    init(seed: UInt64, devices: [Device], isRouted: Bool, upstreams: Set<Upstream> = [], operations: [Operation]) {
        self.seed = seed
        self.devices = devices
        self.isRouted = isRouted
        self.upstreams = upstreams
        self.operations = operations
    }

    init(seed: UInt64) {
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
        let isRouted = Bool.random(using: &generator)
        let count = Int.random(in: 20...60, using: &generator)
        let operations = (0..<count).map { _ in Operation.drawn(devices: devices.count, upstreams, from: &generator) }
        self.init(seed: seed, devices: devices, isRouted: isRouted, upstreams: upstreams, operations: operations)
    }
}

extension Operation {
    fileprivate static func drawn(devices: Int, _ upstreams: Set<Upstream>, from generator: inout SeededGenerator) -> Operation {
        let client = Int.random(in: 0..<devices, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<48: return .edit(client: client, subject: Int.random(in: Subject.all.indices, using: &generator), .drawn(from: &generator))
        case ..<80: return .replicate(client: client, .drawn(from: &generator), .drawn(from: &generator))
        case ..<88:
            guard let upstream = Upstream.allCases.filter(upstreams.contains).randomElement(using: &generator) else {
                return .replicate(client: client, .both, nil)
            }
            return .replicateUpstream(upstream, .drawn(from: &generator), .drawn(from: &generator))
        case ..<90: return .repoint(client: client)
        case ..<92: return .clock(hours: Int.random(in: -12...48, using: &generator))
        case ..<94: return .forget(client: client)
        case ..<96: return .restart
        case ..<98: return .migrate
        default: return .revert
        }
    }
}

extension Edit {
    fileprivate static func drawn(from generator: inout SeededGenerator) -> Edit {
        // Few numbers at times, so that two clients make one and the same change.
        let number = Int.random(in: 0..<(generator.once(in: 6) ? 3 : 10_000), using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case ..<11: return .write(number: number, hasPhoto: generator.once(in: 4))
        case ..<15: return .delete
        case ..<18: return .branch(number: number)
        default: return .resolve(number: number)
        }
    }
}

extension Direction {
    fileprivate static func drawn(from generator: inout SeededGenerator) -> Direction {
        generator.once(in: 3) ? allCases.randomElement(using: &generator) ?? .both : .both
    }
}

extension Fault {
    fileprivate static func drawn(from generator: inout SeededGenerator) -> Fault? {
        guard !generator.once(in: 2) else { return nil }
        let kind = Kind.allCases.randomElement(using: &generator) ?? .lost
        let isCrash = kind == .crashBeforeCommit || kind == .crashAfterCommit
        return Fault(kind: kind, position: Int.random(in: 0..<(isCrash ? 4 : 16), using: &generator))
    }
}
