import Documents
import Foundation
import Migration

/// Formats the clients of a database for a terminal: the bridges, totals, a chart over days, and a list.
struct FleetText {
    private let json: JSONValue
    private let name: String

    /// - Parameter json: the reply to `GET _fleet`.
    init(_ json: JSONValue, name: String) {
        self.json = json
        self.name = name
    }

    var rendered: String { ([head, bridges, totals, chart, clients].compactMap { $0 } + notes).joined(separator: "\n\n") }

    private var now: Date { Self.date(json["time"]) ?? .now }
    private var total: Int { json["total"]?.int ?? 0 }
    private var listed: [JSONValue] { json["clients"]?.array ?? [] }

    private var head: String {
        "\(ReportFormat.plain(name)): \(total) \(total == 1 ? "client" : "clients") seen since \(json["since"]?.string ?? "")"
    }

    /// The bridges with the store open; `nil` where no other bridge can have it.
    private var bridges: String? {
        guard let bridges = json["bridges"]?.array, !bridges.isEmpty else { return nil }
        var table = TextTable(["bridge", "started", "connections", "last sign of life", "state"])
        for bridge in bridges {
            let states = [("works", "does the work that must run once"), ("stopping", "is stopping")]
            table.add([
                ReportFormat.plain(bridge["name"]?.string ?? ""), ago(bridge["started"]), Self.text(bridge["clients"]),
                seconds(since: bridge["last_seen"]).map { "\($0) s ago" } ?? "",
                states.filter { bridge[$0.0]?.bool == true }.map(\.1).joined(separator: ", "),
            ])
        }
        return table.rendered
    }

    private var totals: String? {
        guard let generations = json["generations"]?.array, !generations.isEmpty else { return nil }
        var table = TextTable(["generation", "clients", "devices", "checkpoints", "last seen"])
        for generation in generations {
            table.add([
                Self.name(generation["generation"]?.int ?? 0), Self.text(generation["clients"]), Self.text(generation["devices"]),
                Self.text(generation["checkpoints"]), ago(generation["last_seen"]),
            ])
        }
        return table.rendered
    }

    private var chart: String? {
        let days: [DayChart.Entry] = (json["days"]?.array ?? []).compactMap { day in
            guard let generation = day["generation"]?.int, let date = day["day"]?.string, let count = day["checkpoints"]?.int else {
                return nil
            }
            return DayChart.Entry(day: date, series: generation, count: count)
        }
        let series = Array(Set(days.map(\.series))).sorted().map { ($0, Self.name($0)) }
        return DayChart(days, series: series, until: now).rendered.map { "Checkpoints written a day:\n\n\($0)" }
    }

    private var clients: String? {
        guard !listed.isEmpty else { return nil }
        var table = TextTable(
            ["user", "generation", "client", "devices", "last seen", "from", "behind", "collections"] + (hasSides ? ["served"] : []))
        for client in listed {
            let side = hasSides ? [Self.sides[client["side"]?.string ?? ""] ?? ""] : []
            let collections = Set((client["feeds"]?.array ?? []).map { $0["collection"]?.string ?? "(unified)" }).sorted()
            let user = client["user"]?.string ?? ""
            table.add(
                [
                    user.isEmpty ? "(guest)" : ReportFormat.plain(user), Self.name(client["generation"]?.int ?? 0),
                    ReportFormat.plain(client["client"]?.string ?? ""), Self.text(client["devices"]), ago(client["last_seen"]),
                    Self.place(client), client["behind"]?.int.map { $0 >= 10_000 ? "10000 or more" : String($0) } ?? "",
                    collections.joined(separator: ", "),
                ] + side)
        }
        return table.rendered
    }

    /// Whether devices are moved from the old server at present.
    private var hasSides: Bool { listed.contains { $0["side"]?.string != nil } }

    private static let sides = ["here": "here", "oldServer": "old server"]

    private var notes: [String] {
        let skipped = json["skip"]?.int ?? 0
        let rest = total - skipped - listed.count
        let more = rest > 0 ? ["\(rest) more: --skip \(skipped + listed.count), or a greater --limit."] : []
        return more + (json["complete"]?.bool == false ? ["Only the checkpoints that were written last are counted."] : [])
    }

    /// The name of a generation, with its product versions.
    private static func name(_ generation: Int) -> String {
        switch generation {
        case 0: "0 (bridge)"
        case 1: "1 (1.x)"
        case 2: "2 (2.x-3.0)"
        case 3: "3 (3.1+)"
        default: String(generation)
        }
    }

    /// The client's last address, and the number of its other addresses.
    private static func place(_ client: JSONValue) -> String {
        let others = (client["addresses"]?.int ?? 0) - 1
        return ReportFormat.plain(client["last_address"]?.string ?? "") + (others > 0 ? " and \(others) more" : "")
    }

    private static func text(_ number: JSONValue?) -> String { number?.int.map(String.init) ?? "" }

    private static func date(_ value: JSONValue?) -> Date? { value?.string.flatMap { try? Date($0, strategy: .iso8601) } }

    private func seconds(since value: JSONValue?) -> Int? { Self.date(value).map { max(0, Int(now.timeIntervalSince($0))) } }

    private func ago(_ value: JSONValue?) -> String {
        guard let seconds = seconds(since: value) else { return "" }
        return switch seconds {
        case ..<60: "now"
        case ..<3600: "\(seconds / 60) min ago"
        case ..<86_400: "\(seconds / 3600) h ago"
        default: "\(seconds / 86_400) d ago"
        }
    }
}
