/// One run of a schedule, from an empty world to the judgement.
enum Simulation {
    struct Outcome: Hashable, Sendable {
        var trace: Trace
        var violation: Violation?

        /// What happened how often.
        var happenings: [Happening: Int] = [:]
    }

    /// - Parameter client: makes a client; tests put in one that misbehaves.
    /// - Throws: what nobody expects, such as a disk that is full.
    static func run(
        _ schedule: Schedule, client: @Sendable (Device, String) throws -> any SimulatedClient = { try $0.client($1) }
    ) async throws -> Outcome {
        let world = try await World(schedule, client: client)
        var violation: Violation?
        do {
            for operation in schedule.operations { try await world.perform(operation) }
            try await world.settle()
            try await world.judge()
            try await world.returnToDual()
        } catch let found as Violation {
            violation = found
        } catch {
            violation = Violation(invariant: .protocolConformance, detail: "\(error)")
        }
        try await world.close()
        return Outcome(trace: world.trace, violation: violation, happenings: world.ledger.happenings)
    }
}
