import BridgeConfiguration
import Cutover
import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// `_cutover/devices`: which devices are served here, and which are passed on to the old server.
enum DevicesEndpoint {
    static func describe(_ call: DatabaseCall) async throws -> Response {
        let lease = try lease(call)
        guard let devices = lease.running.devices else { throw none(call.name) }
        return lease.hold(SessionAnswer.answer(.object(try await members(devices, lease.running))))
    }

    /// Changes the rules: `{"percent":25}`, `{"users":[…]}` and the other keys of the configuration replace their rule; `{"moveUser":"anna"}`
    /// and `{"moveUserBack":"anna"}` move one user; `{"back":true}` moves everybody back. `{"resume":true}` permits moves again after the guard has
    /// halted them. `force` with a `reason` overrides the gates and the guard.
    ///
    /// The reply is 412 with the gates if devices would move back while the old server lacks documents that were written here, or if the guard has
    /// halted.
    static func change(_ call: DatabaseCall) async throws -> Response {
        let lease = try lease(call)
        let running = lease.running
        guard let devices = running.devices, let runner = running.cutover else { throw none(call.name) }
        let body = try await call.json()
        do {
            let request = try DevicesRequest(body, on: devices.rules)
            let report = try await call.databases.changing(call.name) {
                try await runner.move(request, devices, on: running, in: call.databases)
            }
            let gates = JSONMember("gates", .array(report.gates.map { CutoverAnswer.gate($0) }))
            let described = try await members(devices, running) + [gates]
            guard !report.refusal.isEmpty else { return lease.hold(SessionAnswer.answer(.object(described))) }
            let complaint = [JSONMember("error", .string("Precondition Failed")), JSONMember("reason", .string(report.refusal))]
            return lease.hold(
                ServerAnswer.json(.preconditionFailed, Array(CutoverAnswer.text(.object(complaint + described)).utf8)))
        } catch let error as CutoverError {
            throw AdminError(error.code == .busy ? .conflict : .badRequest, error.message)
        }
    }

    /// The rules, the guard and the figures of both sides.
    static func members(_ devices: DeviceRouter, _ running: RunningDatabase) async throws -> [JSONMember] {
        let stage = running.stage
        let served = stage.map { $0 == .dual ? "by rule" : $0.pullsFromLegacy ? "none" : "all" } ?? "all"
        let halt = try await running.cutover?.deviceState().halt
        return [JSONMember("stage", stage.map { .string($0.rawValue) } ?? .null), JSONMember("servedHere", .string(served))]
            + (devices.rules.json.members ?? []) + [
                JSONMember("guard", running.cutover?.meter.configuration.devices?.guardRules?.json ?? .null),
                JSONMember("halted", halt?.json ?? .null), JSONMember("groups", devices.figures.json),
                JSONMember("comparison", devices.comparer?.results.json ?? .null),
            ]
    }

    private static func lease(_ call: DatabaseCall) throws(AdminError) -> DatabaseLease {
        guard let lease = call.databases.lease(call.name) else { throw call.databases.absence(call.name) }
        return lease
    }

    private static func none(_ name: String) -> AdminError {
        AdminError(.notFound, "The database \"\(name)\" passes no devices on; its configuration needs `cutover.devices`")
    }
}

/// A request for other rules.
struct DevicesRequest: Sendable {
    private static let ownKeys: Set = ["moveUser", "moveUserBack", "back", "resume", "force", "reason"]

    let rules: DeviceRules

    /// Whether moves are permitted again after the guard has halted them.
    let resumes: Bool
    let isForced: Bool
    let reason: String

    /// Whether the guard takes the last change back.
    let isTakenBack: Bool

    /// The guard's request.
    init(takingBackTo rules: DeviceRules) {
        (self.rules, resumes, isForced, isTakenBack) = (rules, false, false, true)
        reason = "taken back by the guard"
    }

    /// - Parameter present: The present rules.
    /// - Throws: ``CutoverError`` for a request that is not valid.
    init(_ json: JSONValue, on present: DeviceRules) throws(CutoverError) {
        guard let members = json.members else { throw CutoverError(.badRules, "Bad JSON: an object is expected") }
        var rules = present
        if try Self.flag(json, "back") {
            (rules.share, rules.users, rules.channels, rules.addresses) = (.none, [], [], [])
        }
        try rules.merge(.object(members.filter { !Self.ownKeys.contains($0.key) }))
        if let user = try Self.name(json, "moveUser") { rules = rules.moving(user) }
        if let user = try Self.name(json, "moveUserBack") { rules = rules.movingBack(user) }
        guard rules.users.count <= DeviceRules.maximumCount, rules.except.count <= DeviceRules.maximumCount else {
            throw CutoverError(.badRules, "The rules have more than \(DeviceRules.maximumCount) names; use a pattern, or a channel")
        }
        self.rules = rules
        isTakenBack = false
        resumes = try Self.flag(json, "resume")
        isForced = try Self.flag(json, "force")
        reason = String((json["reason"]?.string ?? "").prefix(CutoverRequest.maximumReason))
        guard !isForced || reason.contains(where: { !$0.isWhitespace }) else {
            throw CutoverError(.reasonMissing, "`force` overrides gates and needs a `reason`, which is recorded.")
        }
    }

    private static func flag(_ json: JSONValue, _ key: String) throws(CutoverError) -> Bool {
        guard let value = json[key], value != .null else { return false }
        guard let flag = value.bool else { throw CutoverError(.badRules, "Bad JSON: \"\(key)\" has to be true or false") }
        return flag
    }

    private static func name(_ json: JSONValue, _ key: String) throws(CutoverError) -> String? {
        guard let value = json[key], value != .null else { return nil }
        guard let text = value.string, NamePattern(text) != nil else {
            throw CutoverError(.badRules, "Bad JSON: \"\(key)\" has to be a text of 1 to \(NamePattern.maximumLength) bytes")
        }
        return text
    }
}
