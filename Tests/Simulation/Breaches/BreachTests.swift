import Gateway
import Storage
import TestSupport
import Testing

@Suite("The simulation detects breaches of its invariants")
struct BreachTests {
    /// One client that writes, and one faulty client.
    private func violation(_ flaw: FlawedClient.Flaw, _ operations: [Operation]) async throws -> Violation.Invariant? {
        let devices = [Device(generation: .second, home: .bridge), Device(generation: .first, home: .bridge)]
        let schedule = Schedule(seed: 0, devices: devices, isRouted: false, operations: operations)
        return try await Simulation.run(schedule) { device, name in
            device.generation == .first ? FlawedClient(name, flaw) : try device.client(name)
        }.violation?.invariant
    }

    private static let written: [Operation] = [
        .edit(client: 0, subject: 0, .write(number: 1, hasPhoto: false)), .replicate(client: 0, .both, nil),
    ]

    @Test("A client that loses a document, or has a checkpoint ahead of its documents, breaches convergence")
    func convergence() async throws {
        #expect(try await violation(.forgets, Self.written) == .convergence)
        let fault = Fault(kind: .lost, position: 99)
        #expect(try await violation(.hurries, Self.written + [.replicate(client: 1, .both, fault)]) == .convergence)
    }

    @Test("An acknowledged revision that is missing breaches durability")
    func durability() async throws {
        let operations: [Operation] = [.edit(client: 1, subject: 1, .write(number: 2, hasPhoto: false))]
        #expect(try await violation(.claims, operations) == .durability)
    }

    @Test("A body that is sent to a client which has it breaches economy")
    func economy() async throws {
        #expect(try await violation(.asksAgain, Self.written) == .economy)
    }

    @Test("A revision that arrives with another content breaches identity")
    func identity() async throws {
        #expect(try await violation(.alters, Self.written) == .identity)
    }

    @Test("A repeated transfer of the same data breaches quiet")
    func quiet() async throws {
        #expect(try await violation(.echoes, Self.written) == .quiet)
    }

    @Test("A server that loses a document breaches durability and convergence")
    func loss() async throws {
        let devices = Generation.allCases.map { Device(generation: $0, home: .bridge) }
        let world = try await World(Schedule(seed: 0, devices: devices, isRouted: false, operations: []))
        for operation in Self.written { try await world.perform(operation) }
        try await world.replicateUntilQuiet()
        try await world.checkInvariants()
        try await world.bridge.database.unified.purge(["a"])
        await #expect(throws: Violation.self) { try await world.checkDurability() }
        await #expect(throws: Violation.self) { try await world.checkConvergence() }
        try await world.close()
    }

    @Test("A server that shows a user more than the model allows, or less, is detected")
    func access() async throws {
        let devices = [Device(generation: .first, home: .bridge), Device(generation: .first, home: .bridge, channels: [])]
        for invariant in [Violation.Invariant.privacy, .convergence] {
            let world = try await World(Schedule(seed: 0, devices: devices, isRouted: false, comesLate: true, operations: []))
            for operation in Self.written { try await world.perform(operation) }
            try await world.replicateUntilQuiet()
            try await world.checkInvariants()
            let reader = try #require(world.readers[1]?.name)
            world.access.model.general[reader] = ["*"]
            if invariant == .privacy {
                try await world.bridge.put(reader, by: world.access)
                world.access.model.general[reader] = []
            }
            do {
                try await world.checkConvergence()
                Issue.record("\(invariant) was not detected")
            } catch let violation as Violation {
                #expect(violation.invariant == invariant)
            }
            try await world.close()
        }
    }

    @Test("A refused revision that is on no list breaches parking")
    func parking() async throws {
        let devices = Generation.allCases.map { Device(generation: $0, home: .bridge) }
        for upstream in Upstream.allCases {
            let world = try await World(Schedule(seed: 0, devices: devices, isRouted: false, upstreams: [upstream], operations: []))
            for operation in Self.written { try await world.perform(operation) }
            try await world.perform(.refuse(upstream, Refusal(remainder: 0), .both, nil))
            try await world.checkParking(upstream, .both)
            await #expect(throws: Violation.self) { try await world.checkNothingIsParked() }
            #expect(try await world.bridge.database.forgetParked(.all) == 1)
            await #expect(throws: Violation.self) { try await world.checkParking(upstream, .both) }
            await #expect(throws: Violation.self) { try await world.checkConvergence() }
            try await world.close()
        }
    }

    @Test("A failing schedule is reduced to the relevant steps")
    func shrinking() async {
        let steps = (0..<40).map { Operation.edit(client: 0, subject: $0 % 6, .write(number: $0, hasPhoto: false)) }
        let schedule = Schedule(seed: 0, devices: [], isRouted: false, operations: steps)
        let needed: Set<Operation> = [steps[7], steps[31]]
        let shrunken = await Shrinker().shrink(schedule) { needed.isSubset(of: $0.operations) }
        #expect(shrunken.operations == [steps[7], steps[31]])
    }
}
