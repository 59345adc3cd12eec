import Cutover

/// The printed report of a failing seed.
struct Report: CustomStringConvertible {
    let schedule: Schedule
    let violation: Violation
    let shrunken: Schedule

    /// The result of the remaining steps. A failure that depends on the speed of tasks may not occur again.
    let outcome: Simulation.Outcome

    var description: String {
        var lines = ["Seed \(schedule.seed) fails: \(outcome.violation ?? violation)"]
        if outcome.violation == nil { lines.append("It has not failed again with these steps:") }
        lines.append(schedule.setting)
        lines.append("\(shrunken.operations.count) of its \(schedule.operations.count) steps are enough:")
        lines += outcome.trace.lines.enumerated().map { "  \($0 + 1). \($1)" }
        let store = schedule.engine == .sqlite ? "" : " STORE=\(schedule.engine.rawValue)"
        lines.append("Again: make simulate SEEDS=1 SEED=\(schedule.seed)\(store)")
        return lines.joined(separator: "\n")
    }
}

extension Schedule {
    /// The participants.
    var setting: String {
        let clients = devices.enumerated().map { "\($0) of \($1)" }.joined(separator: ", ")
        let upstreams = Upstream.allCases.filter(self.upstreams.contains).map(\.rawValue).joined(separator: " and ")
        let lines = refusesBranches ? " The old server keeps one line." + (resolvesConflicts ? " The bridge resolves conflicts." : "") : ""
        let numbers = countsHigh ? " Its sequences are as high as the bridge's." : ""
        let stage = self.upstreams.contains(.legacy) ? " Stage: \(stage.rawValue).\(lines)\(numbers)" : ""
        let bridges =
            engine == .sqlite ? "" : "\(engine.bridges) bridges with a store in PostgreSQL\(listens ? "" : ", which poll for commits"). "
        return
            "\(bridges)Clients: \(clients).\(stage)\(hasDeltas ? " Deltas." : "") Routes from the beginning: \(isRouted ? "yes" : "no"). Upstreams: \(upstreams.isEmpty ? "none" : upstreams)."
    }
}

extension Simulation {
    /// Runs a seed.
    ///
    /// - Returns: The outcome, and a report of a failure.
    static func examine(seed: UInt64, on engine: EngineKind = .sqlite) async throws -> (Outcome, Report?) {
        let schedule = Schedule(seed: seed, on: engine)
        let outcome = try await run(schedule)
        guard let violation = outcome.violation else { return (outcome, nil) }
        let shrunken = await Shrinker().shrink(schedule) { candidate in
            (try? await run(candidate))?.violation?.invariant == violation.invariant
        }
        return (outcome, Report(schedule: schedule, violation: violation, shrunken: shrunken, outcome: try await run(shrunken)))
    }
}
