import BridgeConfiguration
import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// `_overview`: a summary of a database's content and setup, for the admin page. It reads only a few rows, whatever the database's size.
enum OverviewEndpoint {
    /// The most conflicts and runs in a reply.
    private static let limit = 50

    static func get(_ call: DatabaseCall) async throws -> Response {
        guard let lease = call.databases.lease(call.name) else { throw call.databases.absence(call.name) }
        let database = lease.running.database
        let overview = try await database.overview(limit: limit)
        let isCounted = try await database.knowsMisplaced()
        let undescribed = try await database.undescribedCollections()
        return lease.hold(
            SessionAnswer.answer(
                .object(
                    members(overview, lease.running) + [
                        // While false, counting `misplaced` by the current routes is in progress.
                        JSONMember("misplaced_counted", .bool(isCounted)),
                        JSONMember("undescribed_collections", .array(undescribed.map { .string($0.name.description) })),
                    ])))
    }

    private static func members(_ overview: DatabaseOverview, _ running: RunningDatabase) -> [JSONMember] {
        let configuration = running.database.configuration
        return [
            JSONMember("database", .string(running.database.name)), JSONMember("state", .string(running.state)),
            JSONMember("sequence", .number(overview.lastSequence.description)),
            JSONMember("conflict_policy", .string("\(configuration.conflicts)")),
            JSONMember("departures", .string("\(configuration.departures)")),
            JSONMember("unified", .object(counts(overview.unified))),
            JSONMember("collections", .array(overview.collections.map(collection))),
            JSONMember("routes", .array(configuration.routes.map(route))),
            JSONMember("conflicts", .array(overview.conflicts.map(conflict))),
            JSONMember("imports", .array(overview.imports.map(run))),
            JSONMember(
                "open",
                .object(Activity.Kind.allCases.map { JSONMember($0.rawValue, .number(String(running.database.activity[$0]))) })),
        ]
    }

    private static func collection(_ collection: CollectionOverview) -> JSONValue {
        .object(
            [JSONMember("name", .string(collection.name.description)), JSONMember("hidden", .bool(collection.isHidden))]
                + counts(collection.counts))
    }

    private static func counts(_ counts: DocumentCounts) -> [JSONMember] {
        [
            JSONMember("live", .number(String(counts.live))), JSONMember("tombstones", .number(String(counts.tombstones))),
            JSONMember("conflicted", .number(String(counts.conflicted))), JSONMember("misplaced", .number(String(counts.misplaced))),
            JSONMember("qualified", .number(String(counts.qualified))),
        ]
    }

    private static func route(_ route: Route) -> JSONValue {
        let condition =
            switch route.condition {
            case .property(let name, let value): "\(name) is \(value)"
            case .idPrefix(let prefix): "the ID begins with \(prefix)"
            case .idPattern(let pattern): "the ID has \(pattern)"
            case .channel(let channel): "in channel \(channel)"
            case .javaScript(let source): source
            }
        return .object([
            JSONMember("to", .string(route.collection.description)), JSONMember("when", .string(condition)),
            JSONMember("strips_prefix", .bool(route.stripsPrefix)),
        ])
    }

    private static func conflict(_ conflict: ConflictOverview) -> JSONValue {
        .object([
            JSONMember("collection", .string(conflict.collection.description)), JSONMember("id", .string(conflict.id)),
            JSONMember("winner", .string(conflict.winner.description)), JSONMember("leaves", .number(String(conflict.leaves))),
            JSONMember("modified", .string(Timestamp.rfc3339(milliseconds: conflict.modified))),
        ])
    }

    private static func run(_ run: MigrationRunRecord) -> JSONValue {
        let state =
            switch run.state {
            case .running: "running"
            case .finished: "finished"
            case .cancelled: "cancelled"
            }
        return .object(
            [
                JSONMember("id", .number(String(run.key))), JSONMember("source", .string(run.source)), JSONMember("state", .string(state)),
                JSONMember("started", .string(Timestamp.rfc3339(milliseconds: run.started))),
            ] + (run.finished.map { [JSONMember("finished", .string(Timestamp.rfc3339(milliseconds: $0)))] } ?? []))
    }
}
