import Foundation

/// Draws daily counts of several series as bars of characters, side by side.
struct DayChart {
    struct Entry {
        /// The day, such as `2026-11-20`.
        let day: String
        let series: Int
        let count: Int
    }

    /// The most lines. With more days, several days share a line.
    private static let lines = 31
    private static let barWidth = 12

    private let entries: [String: [Int: Int]]
    private let series: [(number: Int, name: String)]
    private let until: Date

    /// - Parameters:
    ///   - series: the series with their names, in the order of their columns.
    ///   - until: the last day.
    init(_ entries: [Entry], series: [(Int, String)], until: Date) {
        self.entries = Dictionary(grouping: entries, by: \.day).mapValues { entries in
            Dictionary(entries.map { ($0.series, $0.count) }, uniquingKeysWith: +)
        }
        self.series = series.map { (number: $0.0, name: $0.1) }
        self.until = until
    }

    /// The chart; `nil` without data.
    var rendered: String? {
        let days = days
        guard !days.isEmpty else { return nil }
        let step = (days.count + Self.lines - 1) / Self.lines
        // A line for several days shows their highest count, which is comparable with the count of a single day.
        let rows = stride(from: 0, to: days.count, by: step).map { start in
            let shared = days[start..<min(start + step, days.count)]
            return (day: days[start], counts: series.map { series in shared.map { entries[$0]?[series.number] ?? 0 }.max() ?? 0 })
        }
        let highest = max(1, rows.flatMap(\.counts).max() ?? 1)
        var table = TextTable([step == 1 ? "day" : "from"] + series.map(\.name))
        let width = String(highest).count
        for row in rows {
            table.add([row.day] + row.counts.map { Self.bar($0, of: highest, width: width) })
        }
        return table.rendered
    }

    private static func bar(_ count: Int, of highest: Int, width: Int) -> String {
        let length = count == 0 ? 0 : max(1, count * barWidth / highest)
        let number = String(count)
        return String(repeating: " ", count: width - number.count) + number + " " + String(repeating: "#", count: length)
    }

    /// All days from the first with an entry, without gaps.
    private var days: [String] {
        guard let first = entries.keys.min(), var date = try? Date(first, strategy: Self.format) else { return [] }
        var days: [String] = []
        // Entries with a future date, from a wrong clock, are omitted.
        while date <= until, days.count < 10_000 {
            days.append(date.formatted(Self.format))
            date += 86_400
        }
        return days
    }

    private static let format = Date.ISO8601FormatStyle().year().month().day()
}
