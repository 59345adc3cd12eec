import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// `_migrations`: moves documents of the default collection to the collections of the routes, while the database is served.
enum MigrationEndpoint {
    private enum Action: String {
        case start, pause, resume, cancel, revert
    }

    static func describe(_ call: DatabaseCall) async throws -> Response {
        let running = try call.running()
        return SessionAnswer.answer(.object(try await members(running)))
    }

    /// Runs an action: `{"action":"start|pause|resume|cancel|revert"}`, or `?action=`.
    ///
    /// `start` and `resume` accept `"allow_new_grants":true`. Replies at once with the reply of `GET`.
    static func run(_ call: DatabaseCall) async throws -> Response {
        let body = try await call.optionalJSON()
        let text = body?["action"]?.string ?? call.query["action"]
        let allowsNewGrants = body?["allow_new_grants"]?.bool ?? (call.query["allow_new_grants"] == "true")
        guard let action = text.flatMap({ Action(rawValue: $0) }) else {
            throw AdminError(.badRequest, "Unknown \"action\": it must be start, pause, resume, cancel or revert")
        }
        let running = try call.running()
        try running.requireWork()
        let moves = running.moves
        switch action {
        case .start, .resume:
            let isReverting = action == .resume && moves.progress.run?.state == .reverting
            guard moves.start(reverts: isReverting, allowsNewGrants: allowsNewGrants) else { throw busy(moves) }
        case .revert:
            guard moves.start(reverts: true) else { throw busy(moves) }
        case .pause: try await moves.pause()
        case .cancel: try await moves.cancel()
        }
        return SessionAnswer.answer(.object(try await members(running)))
    }

    private static func busy(_ moves: MoveRunner) -> AdminError {
        AdminError(.conflict, "A migration is \(moves.progress.activity.rawValue) already; pause or cancel it first")
    }

    private static func members(_ running: RunningDatabase) async throws -> [JSONMember] {
        let progress = running.moves.progress
        let summary = progress.summary
        let runs = try await running.database.moveRuns()
        let moved = summary.moved.sorted { $0.key < $1.key }.map { JSONMember($0.key.description, number($0.value.documents)) }
        return [
            JSONMember("state", .string(progress.activity.rawValue)), JSONMember("examined", number(summary.examined)),
            JSONMember("total", number(progress.total)), JSONMember("moved", .object(moved)),
            JSONMember("unmatched", number(summary.unmatched.documents)), JSONMember("clashes", number(summary.clashes.documents)),
            JSONMember("refused", number(summary.refused.documents)), JSONMember("reverted", number(progress.reverted.documents)),
            JSONMember("newly_granting", number(summary.sight.newlyGrantingDocuments)),
            JSONMember("last_error", .string(progress.error ?? "")), JSONMember("runs", .array(runs.map(Self.run))),
        ]
    }

    private static func run(_ run: MoveRun) -> JSONValue {
        let state =
            switch run.state {
            case .running: "running"
            case .done: "done"
            case .reverting: "reverting"
            case .reverted: "reverted"
            }
        let finished = run.finished.map { [JSONMember("finished", .string(Timestamp.rfc3339(milliseconds: $0)))] } ?? []
        return .object(
            [
                JSONMember("id", .number(String(run.key))), JSONMember("state", .string(state)),
                JSONMember("started", .string(Timestamp.rfc3339(milliseconds: run.started))),
            ] + finished)
    }

    private static func number(_ number: Int) -> JSONValue { .number(String(number)) }
}
