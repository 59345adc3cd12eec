/// One run of a schedule, from an empty world to the checks.
enum Simulation {
    struct Outcome: Hashable, Sendable {
        var trace: Trace
        var violation: Violation?

        /// The number of occurrences of each case.
        var happenings: [Happening: Int] = [:]
    }

    /// - Parameter client: Creates a client; tests pass a faulty one.
    /// - Throws: Unexpected errors, such as a full disk.
    static func run(
        _ schedule: Schedule, client: @Sendable (Device, String) throws -> any SimulatedClient = { try $0.client($1) }
    ) async throws -> Outcome {
        let world = try await World(schedule, client: client)
        var violation: Violation?
        do {
            for operation in schedule.operations { try await world.perform(operation) }
            try await world.replicateUntilQuiet()
            try await world.checkInvariants()
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
