import Gateway
import Storage
import TestSupport
import Testing

@Suite("The simulation notices a breach")
struct BreachTests {
    /// One client that writes, and one that is flawed.
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

    @Test("of convergence: a client loses a document, or keeps a checkpoint ahead of its documents")
    func convergence() async throws {
        #expect(try await violation(.forgets, Self.written) == .convergence)
        let fault = Fault(kind: .lost, position: 99)
        #expect(try await violation(.hurries, Self.written + [.replicate(client: 1, .both, fault)]) == .convergence)
    }

    @Test("of durability: what was acknowledged is nowhere")
    func durability() async throws {
        let operations: [Operation] = [.edit(client: 1, subject: 1, .write(number: 2, hasPhoto: false))]
        #expect(try await violation(.claims, operations) == .durability)
    }

    @Test("of economy: a client is sent what it has")
    func economy() async throws {
        #expect(try await violation(.asksAgain, Self.written) == .economy)
    }

    @Test("of identity: a revision comes with another content")
    func identity() async throws {
        #expect(try await violation(.alters, Self.written) == .identity)
    }

    @Test("of quiet: what was transferred is transferred again")
    func quiet() async throws {
        #expect(try await violation(.echoes, Self.written) == .quiet)
    }

    @Test("A server that loses a document is found out")
    func loss() async throws {
        let devices = Generation.allCases.map { Device(generation: $0, home: .bridge) }
        let world = try await World(Schedule(seed: 0, devices: devices, isRouted: false, operations: []))
        for operation in Self.written { try await world.perform(operation) }
        try await world.settle()
        try await world.judge()
        try await world.bridge.database.unified.purge(["a"])
        await #expect(throws: Violation.self) { try await world.checkDurability() }
        await #expect(throws: Violation.self) { try await world.checkConvergence() }
        try await world.close()
    }

    @Test("A server that shows a user more than the model says, or less, is found out")
    func access() async throws {
        let devices = [Device(generation: .first, home: .bridge), Device(generation: .first, home: .bridge, channels: [])]
        for invariant in [Violation.Invariant.privacy, .convergence] {
            let world = try await World(Schedule(seed: 0, devices: devices, isRouted: false, comesLate: true, operations: []))
            for operation in Self.written { try await world.perform(operation) }
            try await world.settle()
            try await world.judge()
            let reader = try #require(world.readers[1]?.name)
            world.access.model.general[reader] = ["*"]
            if invariant == .privacy {
                try await world.bridge.put(reader, by: world.access)
                world.access.model.general[reader] = []
            }
            do {
                try await world.checkConvergence()
                Issue.record("\(invariant) was not noticed")
            } catch let violation as Violation {
                #expect(violation.invariant == invariant)
            }
            try await world.close()
        }
    }

    @Test("What was refused and is on no list is found out")
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

    @Test("A failing schedule is cut down to the steps that matter")
    func shrinking() async {
        let steps = (0..<40).map { Operation.edit(client: 0, subject: $0 % 6, .write(number: $0, hasPhoto: false)) }
        let schedule = Schedule(seed: 0, devices: [], isRouted: false, operations: steps)
        let needed: Set<Operation> = [steps[7], steps[31]]
        let shrunken = await Shrinker().shrink(schedule) { needed.isSubset(of: $0.operations) }
        #expect(shrunken.operations == [steps[7], steps[31]])
    }
}
