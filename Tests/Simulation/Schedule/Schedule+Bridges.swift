import TestSupport

extension Schedule {
    /// The same world with two bridges and their store in PostgreSQL: with a load balancer, and with faults of bridges and of the engine.
    ///
    /// They are drawn from numbers of their own, so that a seed's other steps are the same for both engines.
    func withBridges() -> Schedule {
        var generator = SeededGenerator(seed: seed ^ 0x6272_6964_6765_7332)
        var schedule = self
        schedule.engine = .postgresql
        schedule.listens = !generator.once(in: 4)
        for place in operations.indices where generator.once(in: 5) {
            schedule.operations[place] = operations[place].withFaultOfEngine(from: &generator)
        }
        for place in operations.indices.reversed() {
            guard let client = operations[place].replicatingClient, Bool.random(using: &generator) else { continue }
            schedule.operations.insert(.balance(client: client, .drawn(from: &generator)), at: place)
        }
        let others = Int.random(in: 4...12, using: &generator)
        for _ in 0..<others {
            guard let operation = Operation.drawn(forBridgesOf: self, from: &generator) else { continue }
            schedule.operations.insert(operation, at: Int.random(in: 0...schedule.operations.count, using: &generator))
        }
        if generator.once(in: 2) {
            let operation = Operation.migrateInTurns(after: Int.random(in: 0...3, using: &generator))
            schedule.operations.insert(operation, at: Int.random(in: 0...schedule.operations.count, using: &generator))
        }
        // Drawn last, so that the other steps are those of before.
        if generator.once(in: 3) {
            let place = Int.random(in: 0...schedule.operations.count, using: &generator)
            schedule.operations.insert(.detachStandby, at: place)
            let steps = Int.random(in: 1...12, using: &generator)
            schedule.operations.insert(.promote, at: min(place + 1 + steps, schedule.operations.count))
        }
        return schedule
    }
}

extension Operation {
    /// The client whose replication the step is.
    fileprivate var replicatingClient: Int? {
        switch self {
        case .replicate(let client, _, _): client
        case .regrant(let client, _, during: _?): client
        default: nil
        }
    }

    /// The same step with a fault of the engine.
    fileprivate func withFaultOfEngine(from generator: inout SeededGenerator) -> Operation {
        let fault = Fault.drawn(of: Fault.Kind.ofEngine, from: &generator)
        let ofWork = Fault.drawn(of: Fault.Kind.ofEngine.filter { Fault(kind: $0, position: 0).isAtCommit }, from: &generator)
        switch self {
        case .replicate(let client, let direction, _): return .replicate(client: client, direction, fault)
        case .replicateUpstream(let upstream, let direction, _): return .replicateUpstream(upstream, direction, ofWork)
        case .refuse(let upstream, let refusal, let direction, _): return .refuse(upstream, refusal, direction, ofWork)
        default: return self
        }
    }

    fileprivate static func drawn(forBridgesOf schedule: Schedule, from generator: inout SeededGenerator) -> Operation? {
        switch Int.random(in: 0..<12, using: &generator) {
        case ..<4:
            guard let upstream = Upstream.allCases.filter(schedule.upstreams.contains).randomElement(using: &generator) else { return nil }
            let direction = Direction.allCases.randomElement(using: &generator) ?? .both
            return .takeOver(upstream, direction, .drawn(for: upstream, from: &generator))
        case ..<7: return .revive
        case ..<9: return .restartOne(bridge: Int.random(in: 0...1, using: &generator))
        default:
            let there = schedule.devices.indices.filter { schedule.devices[$0].home == .bridge }
            guard let follower = there.randomElement(using: &generator), let writer = there.randomElement(using: &generator) else {
                return nil
            }
            return .follow(
                client: follower, writer: writer, bridge: Int.random(in: 0...1, using: &generator),
                subject: Int.random(in: Subject.all.indices, using: &generator), number: Int.random(in: 0..<10_000, using: &generator))
        }
    }
}
