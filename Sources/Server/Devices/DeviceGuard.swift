import BridgeConfiguration
import Coordination
import Cutover
import Gateway
import Logging

/// Watches the figures of the moved devices. If they are worse off than the others, it halts further moves, and takes the last one back as soon as
/// the gates permit that.
final class DeviceGuard: Sendable {
    /// The most and the least time between two checks, in seconds.
    private static let intervals: ClosedRange<Int64> = 1...15

    private struct Parked {
        let time: Int64
        let count: Int
    }

    private let rules: GuardRules
    private let logger: Logger
    private let task = BackgroundTask()

    /// The numbers of parked revisions within the window, the oldest first.
    private let parked = Lock<[Parked]>([])

    init(_ rules: GuardRules, logger: Logger) {
        self.rules = rules
        self.logger = logger
    }

    func start(on running: RunningDatabase, in registry: DatabaseRegistry) {
        let interval = min(max(rules.window / 20, Self.intervals.lowerBound), Self.intervals.upperBound)
        task.start { [self] in
            while (try? await suspend(for: .seconds(interval))) != nil {
                do {
                    try await check(running, in: registry)
                } catch is CancellationError {
                    return
                } catch {
                    logger.warning("the guard of the moved devices could not check; it tries again", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    func stop() async {
        await task.stop()
    }

    private func check(_ running: RunningDatabase, in registry: DatabaseRegistry) async throws {
        guard running.stage == .dual, let devices = running.devices, let runner = running.cutover else { return }
        let state = try await runner.deviceState()
        var halt = state.halt
        // After it has taken a move back, it watches the devices that stay. A move that an operator has forced since is the operator's decision.
        let watchesRest = halt?.isPending == false && rules.action == .back && state.earlier == nil
        if halt == nil || watchesRest, let finding = try await finding(devices, runner.meter) {
            halt = try await registry.changing(running.database.name) {
                try await runner.halt(because: finding, takesBack: rules.action == .back, at: .dual)
            }
            logger.error("the guard has halted the moves of devices", metadata: ["reason": "\(finding)"])
            await callHooks(runner.meter.configuration.hooks, finding, running)
        }
        if halt?.isPending == true { try await takeBack(devices, runner, running, registry) }
    }

    /// Why moved devices are worse off; `nil` if they are not, or if no devices are moved.
    private func finding(_ devices: DeviceRouter, _ meter: CutoverMeter) async throws -> String? {
        guard !devices.rules.isEmpty else { return nil }
        let (now, figures) = (devices.figures.now, devices.figures)
        let since = max(now - rules.window, devices.rulesTime)
        let count = try await meter.parkedCount()
        let lowest = parked.withLock { samples in
            samples.removeAll { $0.time < since }
            samples.append(Parked(time: now, count: count))
            return samples.map(\.count).min() ?? count
        }
        return rules.finding(
            moved: figures.figures(of: .here, since: since), others: figures.figures(of: .oldServer, since: since), parked: count - lowest)
    }

    private func takeBack(
        _ devices: DeviceRouter, _ runner: CutoverRunner, _ running: RunningDatabase, _ registry: DatabaseRegistry
    ) async throws {
        guard try await runner.backGates(running).allSatisfy(\.isPassed) else { return }
        let report = try await registry.changing(running.database.name) { () -> DevicesReport? in
            let state = try await runner.deviceState()
            // An operator may have changed the rules meanwhile.
            guard state.halt?.isPending == true else { return nil }
            var rules = state.earlier ?? DeviceRules()
            rules.except = devices.rules.except
            return try await runner.move(DevicesRequest(takingBackTo: rules), devices, on: running, in: registry)
        }
        if report?.refusal.isEmpty == true { logger.error("the guard has taken the last move of devices back") }
    }

    private func callHooks(_ hooks: HookConfiguration, _ finding: String, _ running: RunningDatabase) async {
        let call = HookCall(
            database: running.database.name, action: "guard", from: CutoverStage.dual.rawValue, to: CutoverStage.dual.rawValue,
            reason: finding)
        for path in hooks.after {
            let result = await call.run(path, .after, timeout: hooks.timeout)
            if !result.hasSucceeded { logger.error("a hook of the guard has failed", metadata: ["hook": "\(result.description)"]) }
        }
    }
}
