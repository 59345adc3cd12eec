import BridgeConfiguration
import Documents
import Foundation
import Gateway
import HummingbirdCore
import ReplicationService
import Storage
import Supervision

/// `GET /_status` of the admin port, in the form of Sync Gateway 3.2: each database's state, last sequence and replications.
enum StatusAnswer {
    static func response(_ databases: DatabaseRegistry) async throws -> Response {
        var members: [JSONMember] = []
        for running in databases.names.compactMap({ databases[$0] }) {
            members.append(JSONMember(running.database.name, try await status(of: running)))
        }
        for (name, reason) in databases.unreachable.sorted(by: { $0.key < $1.key }) {
            members.append(JSONMember(name, unreachable(reason)))
        }
        return SessionAnswer.answer(
            .object([
                JSONMember("databases", .object(members)), JSONMember("supervision", supervision(databases.supervisor)),
                JSONMember("version", .string("Dualgauge/\(ServerVersion.current)")),
                JSONMember(
                    "vendor", .object([JSONMember("name", .string("Couchbase Sync Gateway")), JSONMember("version", .string("3.2"))])),
            ]))
    }

    /// The restarts by the supervisor, and the parts held back since.
    private static func supervision(_ supervisor: SupervisorConnection) -> JSONValue {
        var members = [
            JSONMember("supervised", .bool(supervisor.isSupervised)), JSONMember("restarts", .number(String(supervisor.start.restarts))),
            JSONMember("held_back", .array(supervisor.held.map(\.description).sorted().map { .string($0) })),
        ]
        if let reason = supervisor.start.lastReason { members.append(JSONMember("last_reason", .string(reason))) }
        if let time = supervisor.start.lastTime {
            members.append(JSONMember("last_time", .string(Date(timeIntervalSince1970: Double(time)).formatted(.iso8601))))
        }
        return .object(members)
    }

    /// The status of a database whose store cannot be reached.
    private static func unreachable(_ reason: String) -> JSONValue {
        .object([JSONMember("state", .string("Unreachable")), JSONMember("reason", .string(reason))])
    }

    private static func status(of running: RunningDatabase) async throws -> JSONValue {
        if let reason = running.watch.reason { return unreachable(reason) }
        do {
            return try await presentStatus(of: running)
        } catch let error as StorageError where error.isOfStore {
            return unreachable(error.message)
        }
    }

    private static func presentStatus(of running: RunningDatabase) async throws -> JSONValue {
        var replications: [JSONValue] = []
        for run in await running.replications.statuses() {
            let members = ReplicationOutput.members(
                id: run.id, state: await run.state, interruptions: await run.interruptions, tally: await run.tally,
                position: await run.position())
            replications.append(.object(members))
        }
        let undescribed = try await running.database.undescribedCollections()
        return .object(
            [
                // Collections of the store without an entry in the configuration.
                JSONMember("undescribed_collections", .array(undescribed.map { .string($0.name.description) })),
                JSONMember("seq", .number(String(try await running.database.unified.lastSequence().value))),
                JSONMember("server_uuid", .string("")), JSONMember("state", .string(running.state)),
                JSONMember("replication_status", .array(replications)),
            ] + bridges(of: running))
    }

    /// The bridges with the store open, where there may be several, and whether this one has the lease.
    private static func bridges(of running: RunningDatabase) -> [JSONMember] {
        guard let lease = running.lease else { return [] }
        return [JSONMember("works", .bool(lease.isHeld)), JSONMember("bridges", BridgeList.json(lease))]
    }
}
