import Foundation
import Testing

/// A number from the environment.
private func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
}

@Suite("Simulation")
struct SimulationTests {
    @Test("All clients and servers converge after any faults, and nothing is lost, sent twice or echoed")
    func seeds() async throws {
        let count = number("DUALGAUGE_SIMULATION_SEEDS") ?? 40
        let first = number("DUALGAUGE_SIMULATION_SEED") ?? 1
        let start = ContinuousClock.now
        var (examined, failures) = (0, 0)
        var happenings: [Happening: Int] = [:]
        for seed in first..<(first + count) {
            let (outcome, report) = try await Simulation.examine(seed: seed)
            examined += 1
            happenings.merge(outcome.happenings) { $0 + $1 }
            guard let report else { continue }
            Issue.record("\(report)")
            failures += 1
            if failures == (count > 100 ? 10 : 3) { break }
        }
        // A case that never occurs is not tested.
        if count >= 40, failures == 0 {
            for happening in Happening.allCases where happenings[happening] == nil { Issue.record("\(happening) has not occurred") }
        }
        guard count > 40 else { return }
        print("\(examined) seeds in \(ContinuousClock.now - start), \(failures) failed")
        print(Happening.allCases.map { "\($0) \(happenings[$0] ?? 0)" }.joined(separator: ", "))
    }

    @Test("A seed gives the same trace each time", arguments: [3, 17, 2_026] as [UInt64])
    func determinism(seed: UInt64) async throws {
        let first = try await Simulation.run(Schedule(seed: seed))
        let second = try await Simulation.run(Schedule(seed: seed))
        #expect(first.trace.lines == second.trace.lines)
        #expect(first.trace.digest == second.trace.digest)
    }

    @Test("The trace of a seed is printed", .enabled(if: number("DUALGAUGE_SIMULATION_TRACE") != nil))
    func trace() async throws {
        let schedule = Schedule(seed: number("DUALGAUGE_SIMULATION_TRACE") ?? 1)
        let outcome = try await Simulation.run(schedule)
        print(([schedule.setting] + outcome.trace.lines + [outcome.violation?.description ?? "All is well."]).joined(separator: "\n"))
    }

    @Test("The messages of a failing seed's shortest schedule are printed", .enabled(if: number("DUALGAUGE_SIMULATION_WIRE") != nil))
    func wire() async throws {
        let (_, report) = try await Simulation.examine(seed: number("DUALGAUGE_SIMULATION_WIRE") ?? 1)
        guard let report else { return print("All is well.") }
        _ = try await WireLog.$isOn.withValue(true) { try await Simulation.run(report.shrunken) }
    }
}
