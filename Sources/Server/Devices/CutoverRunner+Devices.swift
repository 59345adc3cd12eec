import BridgeConfiguration
import Cutover
import Documents
import Gateway
import Storage

extension CutoverRunner {
    /// Changes which devices are served here. Calls must not overlap with each other or with a step.
    ///
    /// - Returns: The gates that were evaluated. If one is closed and the request is not forced, nothing has changed.
    nonisolated func move(
        _ request: DevicesRequest, _ devices: DeviceRouter, on running: RunningDatabase, in registry: DatabaseRegistry
    ) async throws -> [Gate] {
        guard registry[running.database.name] === running, let stage = running.stage else {
            throw CutoverError(.busy, "The database was changed meanwhile; ask again.")
        }
        let earlier = devices.rules
        var gates: [Gate] = []
        // At other stages the rules move nobody.
        if stage == .dual, request.rules.movesBack(from: earlier) {
            let legacy = running.served.replications[meter.configuration.legacy]
            let measured = try await meter.measure(at: stage, legacy: legacy)
            gates = [GateKind.lag, .parked].map { Gate($0, measured, limits: meter.configuration.limits) }
        }
        let isRefused = !request.isForced && gates.contains { !$0.isPassed }
        let journal = CutoverJournal(store: meter.store)
        if !isRefused {
            try await DeviceJournal(store: meter.store).persist(
                request.rules, configured: meter.configuration.devices?.rules ?? DeviceRules())
            await devices.apply(request.rules)
        }
        try await journal.add(
            CutoverStepRecord(
                time: Timestamp.now, from: stage.rawValue, to: stage.rawValue,
                outcome: (isRefused ? CutoverOutcome.refused : .devices).rawValue, isForced: request.isForced,
                reason: [request.rules.change(from: earlier), request.reason].filter { !$0.isEmpty }.joined(separator: ": "),
                gates: CutoverAnswer.text(.array(gates.map { CutoverAnswer.gate($0) }))))
        return gates
    }
}
