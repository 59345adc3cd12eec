import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// `_parked` on the admin port: lists, retries and discards the revisions that one side of a replication has refused.
enum ParkedEndpoint {
    /// The maximum and the default number of revisions in a reply.
    private static let maximumLimit = 10_000
    private static let defaultLimit = 100

    /// `GET _parked?limit&skip&replication`.
    static func list(_ call: AdminCall) async throws -> Response {
        let limit: Int
        let skip: Int
        do {
            limit = try call.query.int("limit") ?? defaultLimit
            skip = try call.query.int("skip") ?? 0
        } catch {
            throw AdminError(.badRequest, error.message)
        }
        guard (0...maximumLimit).contains(limit), skip >= 0 else {
            throw AdminError(.badRequest, "limit has to be 0 to \(maximumLimit), and skip must not be negative")
        }
        let selection = ParkedSelection(replication: call.query["replication"])
        let (revisions, total) = try await call.database.parked(selection, skip: skip, limit: limit)
        return SessionAnswer.answer(
            .object([JSONMember("parked", .array(revisions.map { .object(members(of: $0)) })), number("total", total)]))
    }

    /// `POST _parked` with `{"action":"retry"|"forget","replication":…,"id":…}`.
    static func post(_ call: AdminCall) async throws -> Response {
        let json = try await call.strictJSON()
        guard let members = json.members else { throw AdminError(.badRequest, "the body has to be a JSON object") }
        if let unknown = members.first(where: { !["action", "replication", "id"].contains($0.key) })?.key {
            throw AdminError(.badRequest, "unknown key `\(unknown.prefix(50))`; the keys are action, replication and id")
        }
        let selection = ParkedSelection(replication: try text("replication", json), id: try text("id", json))
        switch json["action"]?.string {
        case "retry": return try await retry(selection, call)
        case "forget":
            let count = try await call.database.forgetParked(selection)
            let total = try await call.database.parked(limit: 0).total
            return SessionAnswer.answer(.object([number("forgotten", count), number("total", total)]))
        default: throw AdminError(.badRequest, "action has to be retry or forget")
        }
    }

    private static func retry(_ selection: ParkedSelection, _ call: AdminCall) async throws -> Response {
        let results = try await call.runningReplications.tryParkedAgain(selection)
        let total = try await call.database.parked(selection, limit: 0).total
        let counts = [Replications.Retried.Outcome.done, .refused, .untried].map { outcome in
            number(outcome.rawValue, results.count { $0.outcome == outcome })
        }
        let rows = results.map { result in
            var members = members(of: result.revision).filter { !["reason", "domain", "code"].contains($0.key) }
            members.append(JSONMember("outcome", .string(result.outcome.rawValue)))
            if let reason = result.reason { members.append(JSONMember("reason", .string(reason))) }
            return JSONValue.object(members)
        }
        return SessionAnswer.answer(.object([JSONMember("results", .array(rows))] + counts + [number("total", total)]))
    }

    private static func text(_ key: String, _ json: JSONValue) throws(AdminError) -> String? {
        guard let value = json[key], value != .null else { return nil }
        guard let text = value.string else { throw AdminError(.badRequest, "`\(key)` has to be a string") }
        return text
    }

    private static func members(of revision: ParkedRevision) -> [JSONMember] {
        [
            JSONMember("replication", .string(revision.replication)),
            JSONMember("direction", .string(revision.direction == .push ? "push" : "pull")),
            JSONMember("collection", .string(revision.collection)), JSONMember("id", .string(revision.id)),
            JSONMember("revision", .string(revision.revision)), JSONMember("domain", .string(revision.domain)),
            number("code", revision.code), JSONMember("reason", .string(revision.reason)),
            JSONMember("first_seen", .string(Timestamp.rfc3339(milliseconds: revision.firstSeen))),
            JSONMember("last_seen", .string(Timestamp.rfc3339(milliseconds: revision.lastSeen))), number("attempts", revision.attempts),
        ]
    }

    private static func number(_ key: String, _ value: Int) -> JSONMember {
        JSONMember(key, .number(String(value)))
    }
}
