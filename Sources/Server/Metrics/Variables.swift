import Documents
import Foundation
import Gateway
import HummingbirdCore
import ModernClient
import ModernProtocol
import ReplicationService
import Storage
import Telemetry

/// `GET /_expvar` of the admin port: the bridge's counts, under the names that monitoring of Sync Gateway reads.
///
/// Values that the bridge does not count are omitted, not reported as 0. All counts are in ``Metrics``.
struct Variables: Sendable {
    private let running: [RunningDatabase]
    private let registry: DatabaseRegistry

    init(_ registry: DatabaseRegistry) {
        self.registry = registry
        running = registry.names.compactMap { registry[$0] }
    }

    func response() async -> Response {
        var databases: [JSONMember] = []
        for database in running { databases.append(JSONMember(database.database.name, await members(of: database))) }
        let gateway: [JSONMember] = [
            JSONMember("global", .object([JSONMember("resource_utilization", resources)])), JSONMember("per_db", .object(databases)),
            JSONMember("per_replication", await replications),
        ]
        return SessionAnswer.answer(.object([JSONMember("syncgateway", .object(gateway))]))
    }

    private var resources: JSONValue {
        let memory = ResidentMemory.current.map { [JSONMember("process_memory_resident", Self.number($0))] } ?? []
        return .object(memory + [JSONMember("error_count", Self.number(registry.requests.failures))])
    }

    private func members(of database: RunningDatabase) async -> JSONValue {
        let activity = database.database.activity
        let last = try? await database.database.unified.lastSequence().value
        let open = activity[.blip]
        let failed = database.metrics.count(of: .failedLogins)
        let sequence = last.map { [JSONMember("high_seq_feed", .number(String($0)))] } ?? []
        let deltas = database.deltas.current
        return .object([
            JSONMember("database", .object(sequence + [JSONMember("num_replications_active", Self.number(open))])),
            JSONMember(
                "cbl_replication_pull", .object([JSONMember("num_pull_repl_active_continuous", Self.number(activity[.subChanges]))])),
            JSONMember("security", .object([JSONMember("auth_failed_count", Self.number(failed))])),
            JSONMember(
                "delta_sync",
                .object([
                    JSONMember("deltas_sent", Self.number(deltas.sent)), JSONMember("delta_push_doc_count", Self.number(deltas.received)),
                ])),
        ])
    }

    private var replications: JSONValue {
        get async {
            var members: [JSONMember] = []
            for database in running {
                for run in await database.replications.statuses() {
                    let output = ReplicationOutput.members(
                        id: run.id, state: await run.state, interruptions: await run.interruptions, tally: await run.tally,
                        position: await run.position())
                    members.append(JSONMember(run.id, .object(output)))
                }
            }
            return .object(members)
        }
    }

    private static func number(_ number: some BinaryInteger) -> JSONValue { .number(String(number)) }
}
