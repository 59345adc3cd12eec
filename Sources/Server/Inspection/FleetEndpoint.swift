import BridgeConfiguration
import Cutover
import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// `GET /{db}/_fleet` on the admin port: the clients seen, with their generation and version, and how far they are behind.
enum FleetEndpoint {
    static func get(_ call: AdminCall) async throws -> Response {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        let query = try query(call.query, now: now)
        let fleetReport = try await call.database.fleetReport(query)
        var sides: [DeviceSide?] = []
        for client in fleetReport.clients { sides.append(await call.devices?.side(of: client)) }
        let fleet = FleetOutput(fleetReport, sides, query, database: call.database.name, now: now)
        let bridges = call.lease.map { [JSONMember("bridges", BridgeList.json($0))] } ?? []
        return SessionAnswer.answer(.object(fleet.members + bridges))
    }

    /// Reads the query. `since` is a time span such as `30d`, the default, or a time such as `2026-11-01T00:00:00Z`.
    static func query(_ query: Query, now: Int64) throws(AdminError) -> FleetQuery {
        var found = FleetQuery(since: try since(query["since"] ?? "30d", now: now))
        found.generation = try query.number("generation", in: 0...3)
        found.skip = try query.number("skip", in: 0...Database.countedCheckpoints) ?? found.skip
        found.limit = try query.number("limit", in: 0...1_000) ?? found.limit
        return found
    }

    private static func since(_ text: String, now: Int64) throws(AdminError) -> Int64 {
        if let duration = Quantity.duration(text) { return max(0, now - duration.components.seconds * 1000) }
        let time = try? Date(text, strategy: .iso8601)
        let day = try? Date(text, strategy: .iso8601.year().month().day())
        guard let date = time ?? day, abs(date.timeIntervalSince1970) < 1e12 else {
            throw AdminError(
                .badRequest, "Bad \"since\": it has to be a time span such as 30d or 12h, or a time such as 2026-11-01T00:00:00Z")
        }
        return Int64(date.timeIntervalSince1970 * 1000)
    }
}

/// The fleet as JSON.
struct FleetOutput {
    let members: [JSONMember]

    /// - Parameter sides: The present sides of the clients.
    init(_ fleetReport: FleetReport, _ sides: [DeviceSide?], _ query: FleetQuery, database: String, now: Int64) {
        members = [
            JSONMember("database", .string(database)), JSONMember("time", Self.time(now)), JSONMember("since", Self.time(query.since)),
            JSONMember("total", Self.number(fleetReport.clientCount)), JSONMember("skip", Self.number(query.skip)),
            JSONMember("limit", Self.number(query.limit)), JSONMember("complete", .bool(fleetReport.isComplete)),
            JSONMember("generations", .array(fleetReport.generations.map(Self.generation))),
            JSONMember("days", .array(fleetReport.days.map(Self.day))),
            JSONMember("clients", .array(zip(fleetReport.clients, sides).map(Self.client))),
        ]
    }

    private static func generation(_ generation: FleetGeneration) -> JSONValue {
        .object([
            JSONMember("generation", number(generation.generation)), JSONMember("clients", number(generation.clients)),
            JSONMember("devices", number(generation.devices)), JSONMember("checkpoints", number(generation.checkpoints)),
            JSONMember("last_seen", time(generation.lastSeen)),
        ])
    }

    private static func day(_ day: CheckpointDay) -> JSONValue {
        let date = Timestamp.rfc3339(milliseconds: day.day * CheckpointDay.length)
        return .object([
            JSONMember("day", .string(String(date.prefix { $0 != "T" }))), JSONMember("generation", number(day.generation)),
            JSONMember("checkpoints", number(day.clients)),
        ])
    }

    private static func client(_ client: FleetClient, _ side: DeviceSide?) -> JSONValue {
        .object([
            JSONMember("user", .string(client.user)), JSONMember("generation", number(client.generation)),
            JSONMember("client", .string(client.software.description)), JSONMember("name", .string(client.software.name)),
            JSONMember("version", client.software.version.map { .string($0) } ?? .null),
            JSONMember("platform", client.software.platform.map { .string($0) } ?? .null),
            JSONMember("user_agent", .string(client.agent)), JSONMember("devices", number(client.devices)),
            JSONMember("checkpoints", number(client.checkpoints)), JSONMember("first_seen", time(client.firstSeen)),
            JSONMember("last_seen", time(client.lastSeen)), JSONMember("addresses", number(client.addresses)),
            JSONMember("last_address", client.lastAddress.map { .string($0) } ?? .null),
            JSONMember("side", side.map { .string($0.rawValue) } ?? .null), JSONMember("open_feeds", number(client.openFeeds)),
            JSONMember("behind", behind(client.changesBehind)),
            JSONMember("feeds", .array(client.feeds.map(feed))),
        ])
    }

    private static func feed(_ feed: FleetFeed) -> JSONValue {
        .object([
            JSONMember("collection", feed.collection.map { .string($0.description) } ?? .null), JSONMember("reads", .bool(feed.reads)),
            JSONMember("checkpoints", number(feed.checkpoints)),
            JSONMember("position", feed.position.map { .number($0.description) } ?? .null),
            JSONMember("behind", behind(feed.changesBehind)),
        ])
    }

    /// A number up to ``Database/countedChanges``, which means that many or more.
    private static func behind(_ count: Int?) -> JSONValue { count.map(number) ?? .null }

    private static func number(_ number: Int) -> JSONValue { .number(String(number)) }

    private static func time(_ milliseconds: Int64) -> JSONValue { .string(Timestamp.rfc3339(milliseconds: milliseconds)) }
}
