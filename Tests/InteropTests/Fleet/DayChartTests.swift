import Foundation
import Testing

@testable import dualgauge

@Suite("The chart of days")
struct DayChartTests {
    private let end = Date(timeIntervalSince1970: 1_700_000_000)  // 2023-11-14

    @Test("Bars have the length of their counts, and days have no gap")
    func bars() throws {
        let entries = [
            DayChart.Entry(day: "2023-11-12", series: 1, count: 10), DayChart.Entry(day: "2023-11-14", series: 1, count: 5),
            DayChart.Entry(day: "2023-11-14", series: 3, count: 1),
        ]
        let text = try #require(DayChart(entries, series: [(1, "1.x"), (3, "3.1+")], until: end).rendered)
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines[0] == "day         1.x              3.1+")
        #expect(lines[2] == "2023-11-12  10 ############   0")
        #expect(lines[3] == "2023-11-13   0                0")
        #expect(lines[4] == "2023-11-14   5 ######         1 #")
        #expect(lines.count == 5)
    }

    @Test("Many days share a line, which shows their highest count")
    func sharing() throws {
        let entries = [
            DayChart.Entry(day: "2023-01-01", series: 1, count: 1), DayChart.Entry(day: "2023-11-14", series: 1, count: 100),
        ]
        let text = try #require(DayChart(entries, series: [(1, "1.x")], until: end).rendered)
        let lines = text.split(separator: "\n")
        #expect(lines.count <= 33)
        #expect(lines.last?.contains("100 ############") == true)
        #expect(lines[2].contains("  1 #") == true)
    }

    @Test("Missing counts, invalid days and future days are not drawn")
    func none() {
        #expect(DayChart([], series: [], until: end).rendered == nil)
        #expect(DayChart([DayChart.Entry(day: "x", series: 1, count: 1)], series: [(1, "")], until: end).rendered == nil)
        #expect(DayChart([DayChart.Entry(day: "2099-01-01", series: 1, count: 1)], series: [(1, "")], until: end).rendered == nil)
    }
}
