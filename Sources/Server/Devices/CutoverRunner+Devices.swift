import BridgeConfiguration
import Cutover
import Documents
import Gateway
import Storage

/// The result of a request for other rules.
struct DevicesReport: Sendable {
    /// The gates that were evaluated.
    var gates: [Gate] = []

    /// The halt that refuses to move more devices.
    var halt: DeviceHalt?

    /// Why nothing has changed; empty if the rules are changed.
    var refusal = ""
}

/// Changes of which devices are served here. Calls must not overlap with each other or with a step.
extension CutoverRunner {
    private nonisolated var deviceJournal: DeviceJournal { DeviceJournal(store: meter.store) }
    private nonisolated var configuredRules: DeviceRules { meter.configuration.devices?.rules ?? DeviceRules() }

    nonisolated func deviceState() async throws -> DeviceState { try await deviceJournal.state(configured: configuredRules) }

    /// Changes the rules. If a gate is closed, or the guard has halted, and the request is not forced, nothing has changed.
    nonisolated func move(
        _ request: DevicesRequest, _ devices: DeviceRouter, on running: RunningDatabase, in registry: DatabaseRegistry
    ) async throws -> DevicesReport {
        guard registry[running.database.name] === running, let stage = running.stage else {
            throw CutoverError(.busy, "The database was changed meanwhile; ask again.")
        }
        var state = try await deviceState()
        let earlier = devices.rules
        let movesMore = !request.isTakenBack && earlier.movesBack(from: request.rules)
        var report = DevicesReport()
        // At other stages the rules move nobody.
        if stage == .dual, request.rules.movesBack(from: earlier) {
            // The gates measure the replications, which one bridge runs. A guard whose bridge does not run them waits for that bridge's guard.
            if !request.isTakenBack { try running.requireWork() }
            report.gates = try await backGates(running)
        }
        if !request.isForced {
            if movesMore, !request.resumes, let halt = state.halt {
                report.halt = halt
                report.refusal = "The guard has halted: \(halt.reason). Remove the cause, then ask with `resume`."
            } else {
                report.refusal = report.gates.filter { !$0.isPassed }.map(\.message).joined(separator: " ")
            }
        }
        if report.refusal.isEmpty {
            state.rules = request.rules
            if movesMore { state.earlier = earlier }
            // If the devices that stay here are worse off, too, the guard takes all of them back.
            if request.isTakenBack { state.earlier = nil }
            if request.resumes { state.halt = nil }
            // A change by an operator replaces the guard's.
            state.halt?.isPending = false
            try await deviceJournal.persist(state, configured: configuredRules)
            await devices.apply(request.rules)
        }
        // The guard repeats its request until the gates are open.
        guard report.refusal.isEmpty || !request.isTakenBack else { return report }
        let changes = [request.rules.change(from: earlier), request.resumes ? "resumed" : "", request.reason]
        try await record(
            report.refusal.isEmpty ? .devices : .refused, at: stage, isForced: request.isForced,
            reason: changes.filter { !$0.isEmpty }.joined(separator: ": "), report.gates)
        return report
    }

    /// Records the guard's decision that no more devices are moved.
    nonisolated func halt(because reason: String, takesBack: Bool, at stage: CutoverStage) async throws -> DeviceHalt {
        var state = try await deviceState()
        let halt = DeviceHalt(time: Timestamp.now, reason: reason, isPending: takesBack)
        state.halt = halt
        try await deviceJournal.persist(state, configured: configuredRules)
        try await record(.halted, at: stage, reason: reason, [])
        return halt
    }

    /// The gates for moving devices back: the old server has to have every document that was written here.
    nonisolated func backGates(_ running: RunningDatabase) async throws -> [Gate] {
        guard let stage = running.stage else { return [] }
        let measured = try await meter.measure(at: stage, legacy: running.served.replications[meter.configuration.legacy])
        return [GateKind.lag, .parked].map { Gate($0, measured, limits: meter.configuration.limits) }
    }

    private nonisolated func record(
        _ outcome: CutoverOutcome, at stage: CutoverStage, isForced: Bool = false, reason: String, _ gates: [Gate]
    ) async throws {
        try await CutoverJournal(store: meter.store).add(
            CutoverStepRecord(
                time: Timestamp.now, from: stage.rawValue, to: stage.rawValue, outcome: outcome.rawValue, isForced: isForced,
                reason: reason, gates: CutoverAnswer.text(.array(gates.map { CutoverAnswer.gate($0) }))))
    }
}
