import BridgeConfiguration
import Cutover
import Documents
import Gateway
import Migration
import ReplicationService
import Storage

/// The JSON of `_cutover`.
enum CutoverAnswer {
    /// The reply to `GET`.
    static func members(
        _ status: CutoverStatus, history: [CutoverStepRecord], configuration: CutoverConfiguration, parity: ParityResult?
    ) -> [JSONMember] {
        [
            JSONMember("stage", .string(status.stage.rawValue)), JSONMember("meaning", .string(status.stage.meaning)),
            JSONMember("next", stage(status.stage.next)), JSONMember("previous", stage(status.stage.previous)),
            JSONMember("canAdvance", .bool(status.canAdvance)), JSONMember("canReverse", .bool(status.canReverse)),
            JSONMember("advanceReasons", texts(status.advanceReasons)), JSONMember("reverseReasons", texts(status.reverseReasons)),
            JSONMember("gates", .array(status.gates.map { gate($0) })), JSONMember("parity", parity.map { self.parity($0) } ?? .null),
            JSONMember("legacy", .string(configuration.legacy)), JSONMember("modern", configuration.modern.map { .string($0) } ?? .null),
            JSONMember("history", .array(history.map { step($0) })),
        ]
    }

    /// The additional members of the reply to `POST`.
    static func members(_ report: CutoverReport, _ request: CutoverRequest) -> [JSONMember] {
        [
            JSONMember("outcome", .string(report.result.rawValue)), JSONMember("action", .string(request.action.rawValue)),
            JSONMember("from", stage(report.step?.from)), JSONMember("to", stage(report.step?.to)),
            JSONMember("forced", .bool(request.isForced)), JSONMember("dryRun", .bool(request.isDryRun)),
            JSONMember("hooks", .array(report.hooks.map { hook($0) })),
        ]
    }

    static func gate(_ gate: Gate) -> JSONValue {
        var members = [
            JSONMember("name", .string(gate.kind.rawValue)), JSONMember("passed", .bool(gate.isPassed)),
            JSONMember("measured", gate.measured.map { number($0) } ?? .null), JSONMember("limit", number(gate.limit)),
            JSONMember("unit", .string(gate.kind.unit)), JSONMember("message", .string(gate.message)),
        ]
        if let age = gate.age { members.append(JSONMember("age", number(age))) }
        return .object(members)
    }

    static func text(_ value: JSONValue) -> String {
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func step(_ record: CutoverStepRecord) -> JSONValue {
        .object([
            JSONMember("number", number(record.number)), JSONMember("time", time(record.time)), JSONMember("from", .string(record.from)),
            JSONMember("to", .string(record.to)), JSONMember("outcome", .string(record.outcome)),
            JSONMember("forced", .bool(record.isForced)), JSONMember("reason", .string(record.reason)),
        ])
    }

    static func parity(_ parity: ParityResult) -> JSONValue {
        let kinds = parity.kinds.sorted { $0.key < $1.key }.map { JSONMember($0.key, number(Int64($0.value))) }
        return .object([
            JSONMember("time", time(parity.time)), JSONMember("age", number(parity.age(at: Timestamp.now))),
            JSONMember("compared", number(Int64(parity.compared))), JSONMember("differing", number(Int64(parity.differing))),
            JSONMember("kinds", .object(kinds)), JSONMember("samples", texts(parity.samples)),
            JSONMember("bodies", number(Int64(parity.bodies))), JSONMember("verified", number(Int64(parity.verified))),
            JSONMember(
                "shownOtherwise",
                .object([
                    JSONMember("documents", number(Int64(parity.shownOtherwise.documents))),
                    JSONMember("samples", texts(parity.shownOtherwise.examples)),
                ])),
            JSONMember("failure", parity.failure.map { .string($0) } ?? .null),
        ])
    }

    private static func hook(_ hook: HookResult) -> JSONValue {
        .object([
            JSONMember("path", .string(hook.path)), JSONMember("succeeded", .bool(hook.hasSucceeded)),
            JSONMember("end", .string(hook.description)), JSONMember("output", .string(hook.output)),
        ])
    }

    private static func stage(_ stage: CutoverStage?) -> JSONValue { stage.map { .string($0.rawValue) } ?? .null }
    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    private static func number(_ number: Int64) -> JSONValue { .number(String(number)) }
    private static func time(_ time: Int64) -> JSONValue { .string(Timestamp.rfc3339(milliseconds: time)) }
}
