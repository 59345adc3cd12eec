import BridgeConfiguration
import Cutover
import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import ReplicationService

/// `_cutover`: the stage of a database's cutover, and the steps to other stages.
enum CutoverEndpoint {
    static func describe(_ call: DatabaseCall) async throws -> Response {
        let lease = try lease(call)
        return lease.hold(SessionAnswer.answer(.object(try await members(lease.running))))
    }

    /// Runs a step: `{"action":"advance"|"reverse","to":STAGE,"force":true,"reason":TEXT,"dryRun":true,"bodies":1000}`.
    ///
    /// Replies after the step with the members of `GET` and a report. The reply is 412 with the step's gates if a gate refused the step or
    /// a hook stopped it.
    static func run(_ call: DatabaseCall) async throws -> Response {
        let lease = try lease(call)
        let request = try request(try await call.optionalJSON() ?? .null)
        let running = lease.running
        guard let runner = running.cutover else { throw none(call.name) }
        try running.requireWork()
        let report: CutoverReport
        do {
            report = try await runner.carryOut(request, on: running, in: call.databases)
        } catch let error as CutoverError {
            throw AdminError(.conflict, error.message)
        }
        var members = try await members(running) + CutoverAnswer.members(report, request)
        if report.step != nil {
            members.removeAll { $0.key == "gates" }
            members.append(JSONMember("gates", .array(report.gates.map { CutoverAnswer.gate($0) })))
        }
        guard !report.result.isSuccess else { return lease.hold(SessionAnswer.answer(.object(members))) }
        let complaint = [JSONMember("error", .string("Precondition Failed")), JSONMember("reason", .string(report.reason))]
        return lease.hold(
            ServerAnswer.json(.preconditionFailed, Array(CutoverAnswer.text(.object(complaint + members)).utf8)))
    }

    private static func members(_ running: RunningDatabase) async throws -> [JSONMember] {
        guard let runner = running.cutover, let stage = running.stage else { throw none(running.database.name) }
        let configuration = runner.meter.configuration
        let measured = try await runner.meter.measure(at: stage, legacy: running.served.replications[configuration.legacy])
        let status = CutoverStatus(stage: stage, measurements: measured, limits: configuration.limits)
        var devices = JSONValue.null
        if let router = running.devices { devices = .object(try await DevicesEndpoint.members(router, running)) }
        return CutoverAnswer.members(
            status, history: try await runner.history(), configuration: configuration, parity: measured.parity)
            + [JSONMember("devices", devices)]
    }

    static func lease(_ call: DatabaseCall) throws(AdminError) -> DatabaseLease {
        guard let lease = call.databases.lease(call.name) else { throw call.databases.absence(call.name) }
        guard lease.running.cutover != nil else { throw none(call.name) }
        return lease
    }

    private static func none(_ name: String) -> AdminError {
        AdminError(.notFound, "The database \"\(name)\" has no cutover; its configuration needs `cutover`")
    }

    private static func request(_ body: JSONValue) throws(AdminError) -> CutoverRequest {
        guard let members = body.members else { throw AdminError(.badRequest, "Bad JSON: an object with \"action\" is expected") }
        for member in members where !["action", "to", "force", "reason", "dryRun", "bodies"].contains(member.key) {
            throw AdminError(.badRequest, "Unknown key \"\(member.key)\"; the keys are action, to, force, reason, dryRun and bodies")
        }
        guard let action = body["action"]?.string.flatMap({ CutoverAction(rawValue: $0) }) else {
            throw AdminError(.badRequest, "Unknown \"action\": it must be advance or reverse")
        }
        var target: CutoverStage?
        if let value = body["to"], value != .null {
            target = value.string.flatMap { CutoverStage(rawValue: $0) }
            guard target != nil else {
                throw AdminError(
                    .badRequest, "Unknown \"to\": it must be one of \(CutoverStage.allCases.map(\.rawValue).joined(separator: ", "))")
            }
        }
        do {
            return try CutoverRequest(
                action, to: target, isForced: try flag(body, "force"), reason: body["reason"]?.string ?? "",
                isDryRun: try flag(body, "dryRun"), bodies: try bodies(body))
        } catch let error as CutoverError {
            throw AdminError(.badRequest, error.message)
        } catch {
            throw error as? AdminError ?? AdminError(.badRequest, "\(error)")
        }
    }

    static func bodies(_ body: JSONValue) throws(AdminError) -> CutoverRequest.Bodies? {
        guard let value = body["bodies"], value != .null else { return nil }
        if value.string == "all" { return .all }
        guard let count = value.int, count >= 0 else {
            throw AdminError(.badRequest, "Bad JSON: \"bodies\" is a number of documents, or \"all\"")
        }
        return .count(count)
    }

    private static func flag(_ body: JSONValue, _ key: String) throws(AdminError) -> Bool {
        guard let value = body[key], value != .null else { return false }
        guard let flag = value.bool else { throw AdminError(.badRequest, "Bad JSON: \"\(key)\" has to be true or false") }
        return flag
    }
}
