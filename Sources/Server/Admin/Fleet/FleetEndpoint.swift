import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore

/// `GET /{db}/_fleet` on the admin port: who has been seen, with which generation and version, and how far behind.
enum FleetEndpoint {
    static func get(_ call: AdminCall) async throws -> Response {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        let query = try query(call.query, now: now)
        let census = try await call.database.census(query)
        return SessionAnswer.answer(FleetOutput(census, query, database: call.database.name, now: now).json)
    }

    /// `since` is a time span such as `30d`, which is the default, or a time such as `2026-11-01T00:00:00Z`.
    static func query(_ query: Query, now: Int64) throws(AdminError) -> FleetQuery {
        var found = FleetQuery(since: try since(query["since"] ?? "30d", now: now))
        found.generation = try number(query, "generation", in: 0...3)
        found.skip = try number(query, "skip", in: 0...Database.countedCheckpoints) ?? found.skip
        found.limit = try number(query, "limit", in: 0...1_000) ?? found.limit
        return found
    }

    private static func since(_ text: String, now: Int64) throws(AdminError) -> Int64 {
        if let duration = Quantity.duration(text) { return max(0, now - duration.components.seconds * 1000) }
        let time = try? Date(text, strategy: .iso8601)
        let day = try? Date(text, strategy: .iso8601.year().month().day())
        guard let date = time ?? day, abs(date.timeIntervalSince1970) < 1e12 else {
            throw AdminError(.badRequest, "Bad \"since\": it is a time span such as 30d or 12h, or a time such as 2026-11-01T00:00:00Z")
        }
        return Int64(date.timeIntervalSince1970 * 1000)
    }

    private static func number(_ query: Query, _ name: String, in range: ClosedRange<Int>) throws(AdminError) -> Int? {
        guard query[name] != nil else { return nil }
        guard let number = try? query.int(name), range.contains(number) else {
            throw AdminError(.badRequest, "Bad \"\(name)\": it is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
