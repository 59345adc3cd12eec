import Cutover
import Documents

/// The input of a hook: the step, as environment variables and as JSON on standard input.
struct HookCall: Sendable {
    enum Phase: String {
        case before, after
    }

    let database: String
    let step: CutoverStep
    let request: CutoverRequest
    let gates: [Gate]

    func run(_ path: String, _ phase: Phase, timeout: Int64) async -> HookResult {
        let variables = [
            "DUALGAUGE_DATABASE": database, "DUALGAUGE_PHASE": phase.rawValue, "DUALGAUGE_ACTION": step.action.rawValue,
            "DUALGAUGE_FROM": step.from.rawValue, "DUALGAUGE_TO": step.to.rawValue, "DUALGAUGE_FORCED": String(request.isForced),
            "DUALGAUGE_REASON": request.reason.filter { $0 != "\0" },
        ]
        let input = CutoverAnswer.text(
            .object([
                JSONMember("database", .string(database)), JSONMember("phase", .string(phase.rawValue)),
                JSONMember("action", .string(step.action.rawValue)), JSONMember("from", .string(step.from.rawValue)),
                JSONMember("to", .string(step.to.rawValue)), JSONMember("forced", .bool(request.isForced)),
                JSONMember("reason", .string(request.reason)), JSONMember("gates", .array(gates.map { CutoverAnswer.gate($0) })),
            ]))
        return await HookProcess(
            path: path, environment: variables, input: Array("\(input)\n".utf8), timeout: .seconds(timeout)
        ).run()
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
