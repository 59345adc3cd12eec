import BridgeConfiguration
import Cutover
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Migration
import ReplicationService

/// `_cutover/comparison`: the comparison of a database with its old server, without a step.
enum ComparisonEndpoint {
    /// The default and the largest `limit`.
    private static let page = 100
    private static let mostRows = 1_000

    /// The progress, the last result, and the documents that differed: `?skip=`, `?limit=`, `?kind=`.
    static func describe(_ call: DatabaseCall) async throws -> Response {
        let lease = try CutoverEndpoint.lease(call)
        return lease.hold(SessionAnswer.answer(.object(try await members(call, lease.running))))
    }

    /// Begins a comparison: `{"bodies":1000}` or `{"bodies":"all"}`. Replies at once with the reply of `GET`.
    static func start(_ call: DatabaseCall) async throws -> Response {
        let lease = try CutoverEndpoint.lease(call)
        let body = try await call.optionalJSON() ?? .null
        for member in body.members ?? [] where member.key != "bodies" {
            throw AdminError(.badRequest, "Unknown key \"\(member.key)\"; the only key is bodies")
        }
        do {
            try await lease.running.cutover?.compare(bodies: try CutoverEndpoint.bodies(body), on: lease.running)
        } catch let error as CutoverError {
            throw AdminError(.conflict, error.message)
        }
        return lease.hold(SessionAnswer.answer(.object(try await members(call, lease.running))))
    }

    /// Stops the comparison. The last result stays.
    static func stop(_ call: DatabaseCall) async throws -> Response {
        let lease = try CutoverEndpoint.lease(call)
        await lease.running.cutover?.comparison.stop()
        return lease.hold(SessionAnswer.answer(.object(try await members(call, lease.running))))
    }

    private static func members(_ call: DatabaseCall, _ running: RunningDatabase) async throws -> [JSONMember] {
        guard let runner = running.cutover else { return [] }
        var kind: ReportDifference.Kind?
        if let text = call.query["kind"] {
            kind = ReportDifference.Kind(rawValue: text)
            guard kind != nil else {
                let kinds = ReportDifference.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw AdminError(.badRequest, "Unknown \"kind\": it must be one of \(kinds)")
            }
        }
        let parity = try await runner.meter.lastComparison(with: running.served.replications[runner.meter.configuration.legacy])
        let differences = parity == nil ? [] : try await CutoverJournal(store: runner.meter.store).differences()
        let wanted = differences.filter { kind == nil || $0.kind == kind }
        let rows = wanted.dropFirst(try call.query.number("skip", in: 0...CutoverJournal.listed) ?? 0)
            .prefix(try call.query.number("limit", in: 1...mostRows) ?? page)
        return [
            JSONMember("running", runner.comparison.progress.map { progress($0) } ?? .null),
            JSONMember("parity", parity.map { CutoverAnswer.parity($0) } ?? .null),
            JSONMember("listed", .number(String(wanted.count))), JSONMember("differences", .array(rows.map { difference($0) })),
        ]
    }

    private static func progress(_ progress: ComparisonRunner.Progress) -> JSONValue {
        .object([
            JSONMember("start", .string(Timestamp.rfc3339(milliseconds: progress.start))),
            JSONMember("activity", .string(progress.latest?.activity ?? "preparing")),
            JSONMember("done", .number(String(progress.latest?.done ?? 0))),
            JSONMember("total", progress.latest?.total.map { .number(String($0)) } ?? .null),
        ])
    }

    private static func difference(_ difference: ReportDifference) -> JSONValue {
        .object([
            JSONMember("kind", .string(difference.kind.rawValue)), JSONMember("collection", .string(difference.collection)),
            JSONMember("id", .string(difference.id)), JSONMember("detail", difference.detail.map { .string($0) } ?? .null),
        ])
    }
}
