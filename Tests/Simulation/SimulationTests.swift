import Foundation
import Testing

/// A number from the environment.
private func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
}

@Suite("Simulation")
struct SimulationTests {
    @Test("Everybody converges, nothing is lost, sent twice or echoed, whatever goes wrong")
    func seeds() async throws {
        let count = number("DUALGAUGE_SIMULATION_SEEDS") ?? 30
        let first = number("DUALGAUGE_SIMULATION_SEED") ?? 1
        let start = ContinuousClock.now
        var failures = 0
        for seed in first..<(first + count) {
            guard let report = try await Simulation.examine(seed: seed) else { continue }
            Issue.record("\(report)")
            failures += 1
            if failures == (count > 100 ? 10 : 3) { break }
        }
        if count > 40 { print("\(count) seeds in \(ContinuousClock.now - start), \(failures) failed") }
    }

    @Test("A seed gives the same trace each time", arguments: [3, 17, 2_026] as [UInt64])
    func determinism(seed: UInt64) async throws {
        let first = try await Simulation.run(Schedule(seed: seed))
        let second = try await Simulation.run(Schedule(seed: seed))
        #expect(first.trace.lines == second.trace.lines)
        #expect(first.trace.digest == second.trace.digest)
    }

    @Test("What happens with a seed", .enabled(if: number("DUALGAUGE_SIMULATION_TRACE") != nil))
    func trace() async throws {
        let schedule = Schedule(seed: number("DUALGAUGE_SIMULATION_TRACE") ?? 1)
        let outcome = try await Simulation.run(schedule)
        print(([schedule.setting] + outcome.trace.lines + [outcome.violation?.description ?? "All is well."]).joined(separator: "\n"))
    }
}
