import TestSupport

/// Everything that happens in one simulation, drawn from a seed alone.
struct Schedule: Hashable, Sendable {
    let seed: UInt64

    /// One client for each; each generation is there.
    let clients: [Generation]

    /// Whether the bridge routes documents from the beginning.
    let isRouted: Bool
    var operations: [Operation]

    init(seed: UInt64, clients: [Generation], isRouted: Bool, operations: [Operation]) {
        self.seed = seed
        self.clients = clients
        self.isRouted = isRouted
        self.operations = operations
    }

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let more = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            Generation.allCases.randomElement(using: &generator) ?? .first
        }
        let clients = Generation.allCases + more
        let isRouted = Bool.random(using: &generator)
        let count = Int.random(in: 20...60, using: &generator)
        let operations = (0..<count).map { _ in Operation.drawn(clients: clients.count, from: &generator) }
        self.init(seed: seed, clients: clients, isRouted: isRouted, operations: operations)
    }
}

extension Operation {
    fileprivate static func drawn(clients: Int, from generator: inout SeededGenerator) -> Operation {
        let client = Int.random(in: 0..<clients, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<50: return .edit(client: client, subject: Int.random(in: Subject.all.indices, using: &generator), .drawn(from: &generator))
        case ..<90: return .replicate(client: client, .drawn(from: &generator), .drawn(from: &generator))
        case ..<92: return .forget(client: client)
        case ..<95: return .restart
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
