import BridgeConfiguration
import Cutover
import Documents
import Gateway
import HTTPTypes
import Logging
import ReplicationService
import Storage

/// Runs the steps of one database's cutover, one at a time.
actor CutoverRunner {
    /// The number of audit entries in replies.
    private static let history = 50

    nonisolated let meter: CutoverMeter

    /// Compares both servers, for a step or on request.
    nonisolated let comparison: ComparisonRunner
    private let logger: Logger
    private var isBusy = false

    init(meter: CutoverMeter, logger: Logger) {
        self.meter = meter
        self.logger = logger
        comparison = ComparisonRunner(meter, logger: logger)
    }

    private nonisolated var configuration: CutoverConfiguration { meter.configuration }
    private nonisolated var journal: CutoverJournal { CutoverJournal(store: meter.work) }

    nonisolated func history() async throws -> [CutoverStepRecord] { try await journal.history(limit: Self.history) }

    /// Runs the requested step.
    ///
    /// - Throws: ``CutoverError`` if there is no such step or another one is running; ``AdminError`` if the database was changed meanwhile.
    func carryOut(_ request: CutoverRequest, on running: RunningDatabase, in registry: DatabaseRegistry) async throws -> CutoverReport {
        guard !isBusy else { throw CutoverError(.busy, "Another step is in progress; try again when it has finished.") }
        isBusy = true
        defer { isBusy = false }
        // A comparison of its own would hold up a step back.
        await comparison.stop()
        guard let stage = running.stage else { return CutoverReport(result: .unchanged) }
        guard let step = try CutoverStep.plan(request.action, from: stage, to: request.target) else {
            return CutoverReport(result: .unchanged)
        }
        return try await carryOut(step, request, on: running, in: registry)
    }

    /// Begins to compare both servers in the background.
    ///
    /// - Throws: ``CutoverError`` if a step or another comparison is in progress, or nothing is replicated with the old server any longer.
    func compare(bodies: CutoverRequest.Bodies?, on running: RunningDatabase) throws {
        guard !isBusy else { throw CutoverError(.busy, "A step is in progress; try again when it has finished.") }
        guard let stage = running.stage, !stage.isDetached, let legacy = running.served.replications[configuration.legacy] else {
            throw CutoverError(.noStep, "The old server is detached at this stage; there is nothing to compare with.")
        }
        guard comparison.start(at: stage, legacy, bodies: bodies) else {
            throw CutoverError(.busy, "Both servers are being compared already; its progress is at _cutover/comparison.")
        }
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
            // The measurements are valid only for this configuration of the database at this stage.
            guard registry[running.database.name] === running, running.stage == step.from else {
                throw AdminError(.conflict, "The database was changed meanwhile; try again")
            }
            // Runs in a task of its own, so that a disconnected caller does not cancel a step that has begun.
            return try await Task { try await self.run(step, request, gates, on: running) }.value
        }
    }

    /// Evaluates the step's gates. Comparing both servers takes as long as reading them.
    private nonisolated func gates(of step: CutoverStep, _ request: CutoverRequest, _ running: RunningDatabase) async throws -> [Gate] {
        try await meter.database.releaseOvertaken(.all)
        let legacy = running.served.replications[configuration.legacy]
        if step.gates.contains(.parity), configuration.limits.requiresParity, let legacy {
            let before = try await meter.measure(at: step.from, legacy: legacy, asksScope: true)
            // Without a response there is no comparison: the gate `scope` reports the failure at once.
            if case .unknown = before.scope { return step.evaluate(before, limits: configuration.limits) }
            // Without pulling, only a comparison detects writes at the old server.
            let mayReuse = request.isDryRun || step.from.pullsFromLegacy
            if !mayReuse || before.parity?.isFresh(at: Timestamp.now) != true || request.bodies != nil {
                try await comparison.compare(at: step.from, legacy, bodies: request.bodies)
            }
        }
        return step.evaluate(try await meter.measure(at: step.from, legacy: legacy, asksScope: true), limits: configuration.limits)
    }

    /// Runs the step. The effects follow from the persisted stage, so they are the same after a crash.
    private nonisolated func run(
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
        try await announce(step, on: running)
        await running.enter(step.to)
        do {
            try await journal.commit(step, record(step, request, report, .taken))
        } catch {
            await running.enter(step.from)
            try? await journal.announce(nil)
            throw error
        }
        logger.notice(
            "the stage of the cutover has changed",
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

    /// Lets the other bridges enter the stage first. While one passes devices on, the pull from the old server must not end; while one serves devices,
    /// the push must not.
    private nonisolated func announce(_ step: CutoverStep, on running: RunningDatabase) async throws {
        guard let lease = running.lease else { return }
        do {
            try await journal.announce(step.to)
            try await lease.awaitOthers(at: step.to.rawValue)
        } catch {
            try? await journal.announce(nil)
            throw error
        }
    }

    /// Withdraws the announcement of a step that was not ended.
    ///
    /// - Returns: The stage.
    nonisolated func abandonedStep() async throws -> CutoverStage {
        try await journal.announce(nil)
        return try await journal.stage(beginningWith: configuration.firstStage)
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

/// The outcome of a request for a step.
struct CutoverReport: Sendable {
    enum Result: String, Sendable {
        /// The database is at the other stage.
        case taken
        /// A dry run: the step would run, unless a hook stopped it.
        case planned
        /// The database was already at the stage.
        case unchanged
        /// A gate has refused the step.
        case refused
        /// A hook has stopped the step.
        case stopped

        /// Whether the request succeeded.
        var isSuccess: Bool { self != .refused && self != .stopped }
    }

    var result: Result

    /// `nil` if no step was necessary.
    var step: CutoverStep?
    var gates: [Gate] = []
    var hooks: [HookResult] = []

    /// Why the step was not run, and advice.
    var reason: String {
        switch result {
        case .taken, .planned, .unchanged: ""
        case .refused: gates.filter { !$0.isPassed }.map(\.message).joined(separator: " ")
        case .stopped: hooks.filter { !$0.hasSucceeded }.map { "\($0.description): \($0.output)" }.joined(separator: " ")
        }
    }
}
