import Cutover
import Documents

/// The input of a hook, as environment variables and as JSON on standard input: the step, or the guard's decision.
struct HookCall: Sendable {
    enum Phase: String {
        case before, after
    }

    let database: String

    /// The step's action, or `guard`.
    let action: String
    let from: String
    let to: String
    var isForced = false
    let reason: String
    var gates: [Gate] = []

    func run(_ path: String, _ phase: Phase, timeout: Int64) async -> HookResult {
        let variables = [
            "DUALGAUGE_DATABASE": database, "DUALGAUGE_PHASE": phase.rawValue, "DUALGAUGE_ACTION": action,
            "DUALGAUGE_FROM": from, "DUALGAUGE_TO": to, "DUALGAUGE_FORCED": String(isForced),
            "DUALGAUGE_REASON": reason.filter { $0 != "\0" },
        ]
        let input = CutoverAnswer.text(
            .object([
                JSONMember("database", .string(database)), JSONMember("phase", .string(phase.rawValue)),
                JSONMember("action", .string(action)), JSONMember("from", .string(from)),
                JSONMember("to", .string(to)), JSONMember("forced", .bool(isForced)),
                JSONMember("reason", .string(reason)), JSONMember("gates", .array(gates.map { CutoverAnswer.gate($0) })),
            ]))
        return await HookProcess(
            path: path, environment: variables, input: Array("\(input)\n".utf8), timeout: .seconds(timeout)
        ).run()
    }
}

extension HookCall {
    init(database: String, step: CutoverStep, request: CutoverRequest, gates: [Gate]) {
        self.init(
            database: database, action: step.action.rawValue, from: step.from.rawValue, to: step.to.rawValue, isForced: request.isForced,
            reason: request.reason, gates: gates)
    }
}

/// The result of a hook.
struct HookResult: Hashable, Sendable {
    enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        case timedOut
        case notStarted(String)
    }

    let path: String
    let end: End

    /// The captured beginning of its output.
    let output: String

    var hasSucceeded: Bool { end == .exited(0) }

    /// A short text about how it ended.
    var description: String {
        switch end {
        case .exited(let code): "\(path) ended with exit code \(code)"
        case .killed(let signal): "\(path) was terminated by signal \(signal)"
        case .timedOut: "\(path) took too long and was terminated"
        case .notStarted(let why): "\(path) cannot be started: \(why)"
        }
    }
}
