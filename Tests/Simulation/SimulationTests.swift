import Foundation
import Testing

/// A number from the environment.
private func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
}

/// The engine that the variable `DUALGAUGE_SIMULATION_STORE` names.
private let engine = ProcessInfo.processInfo.environment["DUALGAUGE_SIMULATION_STORE"].flatMap { EngineKind(rawValue: $0) } ?? .sqlite

@Suite("Simulation")
struct SimulationTests {
    @Test("All clients and servers converge after any faults, and nothing is lost, sent twice or echoed")
    func seeds() async throws {
        try await run(number("DUALGAUGE_SIMULATION_SEEDS") ?? 40, from: number("DUALGAUGE_SIMULATION_SEED") ?? 1, on: engine)
    }

    @Test(
        "The same with two bridges and one store in PostgreSQL", .enabled(if: number("DUALGAUGE_SIMULATION_SEEDS") == nil))
    func bridges() async throws {
        try await run(12, from: 9_600_000, on: .postgresql)
    }

    private func run(_ count: UInt64, from first: UInt64, on engine: EngineKind) async throws {
        let start = ContinuousClock.now
        var (examined, failures) = (0, 0)
        var happenings: [Happening: Int] = [:]
        for seed in first..<(first + count) {
            let (outcome, report) = try await Simulation.examine(seed: seed, on: engine)
            examined += 1
            happenings.merge(outcome.happenings) { $0 + $1 }
            guard let report else { continue }
            Issue.record("\(report)")
            failures += 1
            if failures == (count > 100 ? 10 : 3) { break }
        }
        // A case that never occurs is not tested.
        if count >= 40, failures == 0 {
            for happening in Happening.cases(on: engine) where happenings[happening] == nil {
                Issue.record("\(happening) has not occurred")
            }
        }
        guard count > 40 else { return }
        print("\(examined) seeds in \(ContinuousClock.now - start), \(failures) failed")
        print(Happening.cases(on: engine).map { "\($0) \(happenings[$0] ?? 0)" }.joined(separator: ", "))
    }

    @Test(
        "A seed gives the same trace each time",
        arguments: [(3, .sqlite), (17, .sqlite), (2_026, .sqlite), (9_600_000, .postgresql)] as [(UInt64, EngineKind)])
    func determinism(seed: UInt64, on engine: EngineKind) async throws {
        let first = try await Simulation.run(Schedule(seed: seed, on: engine))
        let second = try await Simulation.run(Schedule(seed: seed, on: engine))
        #expect(first.trace.lines == second.trace.lines)
        #expect(first.trace.digest == second.trace.digest)
    }

    @Test("The trace of a seed is printed", .enabled(if: number("DUALGAUGE_SIMULATION_TRACE") != nil))
    func trace() async throws {
        let schedule = Schedule(seed: number("DUALGAUGE_SIMULATION_TRACE") ?? 1, on: engine)
        let outcome = try await Simulation.run(schedule)
        print(([schedule.setting] + outcome.trace.lines + [outcome.violation?.description ?? "All is well."]).joined(separator: "\n"))
    }

    @Test("The messages of a failing seed's shortest schedule are printed", .enabled(if: number("DUALGAUGE_SIMULATION_WIRE") != nil))
    func wire() async throws {
        let (_, report) = try await Simulation.examine(seed: number("DUALGAUGE_SIMULATION_WIRE") ?? 1, on: engine)
        guard let report else { return print("All is well.") }
        _ = try await WireLog.$isOn.withValue(true) { try await Simulation.run(report.shrunken) }
    }
}
