import Testing

@Suite("The simulation detects faults of two bridges")
struct BridgeBreachTests {
    @Test("A bridge that does not check its lease writes after another one has taken its work over", arguments: Stop.Kind.allCases)
    func fencing(kind: Stop.Kind) async throws {
        for checksLease in [true, false] {
            var schedule = Schedule(
                seed: 0, devices: [Device(generation: .first, home: .bridge)], isRouted: false, upstreams: [.legacy], operations: [])
            schedule.engine = .postgresql
            let world = try await World(schedule)
            world.bridge.checksLease = checksLease
            try await world.perform(.edit(client: 0, subject: 0, .write(number: 1, hasPhoto: false)))
            try await world.perform(.replicate(client: 0, .both, nil))
            do {
                try await world.perform(.takeOver(.legacy, .push, Stop(kind: kind, position: kind == .message ? 2 : 0)))
                // A transaction that the engine has ended fails in any case.
                #expect(checksLease || kind == .lock)
                try await world.replicateUntilQuiet()
                try await world.checkInvariants()
            } catch let violation as Violation {
                #expect(!checksLease && violation.invariant == .fencing, "\(violation)")
            }
            #expect(world.ledger.happenings[.tookOver] == 1)
            try await world.close()
        }
    }

    @Test("A document that one bridge does not show is detected")
    func difference() async throws {
        var schedule = Schedule(seed: 0, devices: [Device(generation: .first, home: .bridge)], isRouted: false, operations: [])
        schedule.engine = .postgresql
        let world = try await World(schedule)
        try await world.perform(.edit(client: 0, subject: 0, .write(number: 1, hasPhoto: false)))
        try await world.perform(.replicate(client: 0, .both, nil))
        try await world.checkBridges()
        let other = try await World(schedule)
        swap(&world.bridge.sites[1], &other.bridge.sites[1])
        await #expect(throws: Violation.self) { try await world.checkBridges() }
        swap(&world.bridge.sites[1], &other.bridge.sites[1])
        for world in [world, other] { try await world.close() }
    }
}
