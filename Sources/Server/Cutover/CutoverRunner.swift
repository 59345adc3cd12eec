import BridgeConfiguration
import Cutover
import Documents
import Gateway
import HTTPTypes
import Logging
import ReplicationService
import Storage

/// Takes the steps of one database's cutover, one at a time.
actor CutoverRunner {
    /// How many steps of the audit are told.
    private static let history = 50

    nonisolated let meter: CutoverMeter
    private let logger: Logger
    private var isBusy = false

    init(meter: CutoverMeter, logger: Logger) {
        self.meter = meter
        self.logger = logger
    }

    private nonisolated var configuration: CutoverConfiguration { meter.configuration }
    private nonisolated var journal: CutoverJournal { CutoverJournal(store: meter.store) }

    nonisolated func history() async throws -> [CutoverStepRecord] { try await journal.history(limit: Self.history) }

    /// Does what is asked for.
    ///
    /// - Throws: ``CutoverError`` if there is no such step, or another one is being taken; ``AdminError`` if the database was changed meanwhile.
    func carryOut(_ request: CutoverRequest, on running: RunningDatabase, in registry: DatabaseRegistry) async throws -> CutoverReport {
        guard !isBusy else { throw CutoverError(.busy, "Another step is being taken; ask again when it is done.") }
        isBusy = true
        defer { isBusy = false }
        guard let stage = running.stage else { return CutoverReport(result: .unchanged) }
        guard let step = try CutoverStep.plan(request.action, from: stage, to: request.target) else {
            return CutoverReport(result: .unchanged)
        }
        return try await carryOut(step, request, on: running, in: registry)
    }

    private nonisolated func carryOut(
        _ step: CutoverStep, _ request: CutoverRequest, on running: RunningDatabase, in registry: DatabaseRegistry
    ) async throws -> CutoverReport {
        let gates = try await gates(of: step, request, running)
        if gates.contains(where: { !$0.isPassed }), !request.isForced {
            let report = CutoverReport(result: .refused, step: step, gates: gates)
            if !request.isDryRun { try await journal.add(record(step, request, report, .refused)) }
            return report
        }
        guard !request.isDryRun else { return CutoverReport(result: .planned, step: step, gates: gates) }
        return try await registry.changing(running.database.name) {
            // What was measured is of this database as it was configured then, at this stage.
            guard registry[running.database.name] === running, running.stage == step.from else {
                throw AdminError(.conflict, "The database was changed meanwhile; ask again")
            }
            // Whoever asked may hang up: a step that has begun is taken to its end.
            return try await Task { try await self.take(step, request, gates, on: running) }.value
        }
    }

    /// Looks at what the step has to pass. Comparing both servers takes as long as reading them does.
    private nonisolated func gates(of step: CutoverStep, _ request: CutoverRequest, _ running: RunningDatabase) async throws -> [Gate] {
        try await meter.database.releaseOvertaken(.all)
        let legacy = running.served.replications[configuration.legacy]
        if step.gates.contains(.parity), configuration.limits.requiresParity, let legacy {
            let before = try await meter.measure(at: step.from, legacy: legacy, asksScope: true)
            // A server that does not answer now is not tried again for the comparison: the gate `scope` says so at once.
            if case .unknown = before.scope { return step.evaluate(before, limits: configuration.limits) }
            // Nothing but the comparison tells what is written at an old server that is not pulled from.
            let mayRest = request.isDryRun || step.from.pullsFromLegacy
            if !mayRest || before.parity?.isFresh(at: Timestamp.now) != true || request.bodies != nil {
                let (result, bodies) = try await meter.compare(at: step.from, legacy, bodies: request.bodies)
                try await journal.keep(result, bodies)
            }
        }
        return step.evaluate(try await meter.measure(at: step.from, legacy: legacy, asksScope: true), limits: configuration.limits)
    }

    /// Carries the step out: what happens here follows the stage that is stored, and after a crash it does so again.
    private nonisolated func take(
        _ step: CutoverStep, _ request: CutoverRequest, _ gates: [Gate], on running: RunningDatabase
    ) async throws -> CutoverReport {
        var report = CutoverReport(result: .taken, step: step, gates: gates)
        let hook = HookCall(database: running.database.name, step: step, request: request, gates: gates)
        for path in configuration.hooks.before {
            report.hooks.append(await hook.run(path, .before, timeout: configuration.hooks.timeout))
            guard report.hooks.allSatisfy(\.hasSucceeded) else {
                report.result = .stopped
                try await journal.add(record(step, request, report, .stopped))
                return report
            }
        }
        await running.enter(step.to)
        do {
            try await journal.take(step, record(step, request, report, .taken))
        } catch {
            await running.enter(step.from)
            throw error
        }
        logger.notice(
            "the cutover has gone to another stage",
            metadata: [
                "from": "\(step.from.rawValue)", "to": "\(step.to.rawValue)", "forced": "\(request.isForced)",
                "reason": "\(request.reason)",
            ])
        for path in configuration.hooks.after {
            let result = await hook.run(path, .after, timeout: configuration.hooks.timeout)
            if !result.hasSucceeded { logger.error("a hook has failed after a step", metadata: ["hook": "\(result.description)"]) }
            report.hooks.append(result)
        }
        return report
    }

    private nonisolated func record(
        _ step: CutoverStep, _ request: CutoverRequest, _ report: CutoverReport, _ outcome: CutoverOutcome
    ) -> CutoverStepRecord {
        CutoverStepRecord(
            time: Timestamp.now, from: step.from.rawValue, to: step.to.rawValue, outcome: outcome.rawValue, isForced: request.isForced,
            reason: request.reason.isEmpty && outcome == .stopped ? report.reason : request.reason,
            gates: CutoverAnswer.text(.array(report.gates.map { CutoverAnswer.gate($0) })))
    }
}

/// What came of a request to take a step.
struct CutoverReport: Sendable {
    enum Result: String, Sendable {
        /// The database stands at the other stage.
        case taken
        /// A dry run: it would be taken, if no hook stops it.
        case planned
        /// The database was there already.
        case unchanged
        /// A gate has refused it.
        case refused
        /// A hook has stopped it.
        case stopped

        /// Whether what was asked for is so.
        var isSuccess: Bool { self != .refused && self != .stopped }
    }

    var result: Result

    /// `nil` if there was nothing to be done.
    var step: CutoverStep?
    var gates: [Gate] = []
    var hooks: [HookResult] = []

    /// Why it was not taken, and what to do.
    var reason: String {
        switch result {
        case .taken, .planned, .unchanged: ""
        case .refused: gates.filter { !$0.isPassed }.map(\.message).joined(separator: " ")
        case .stopped: hooks.filter { !$0.hasSucceeded }.map { "\($0.description): \($0.output)" }.joined(separator: " ")
        }
    }
}
