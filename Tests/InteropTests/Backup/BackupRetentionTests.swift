import Foundation
import Testing

@testable import dualgauge

@Suite("Retention of the backups of a series")
struct BackupRetentionTests {
    /// Friday, at noon.
    private static let now = date("20261127T120000Z")

    private static func date(_ text: String) -> Date {
        (try? Date(text, strategy: Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))) ?? .distantPast
    }

    private func kept(_ rules: String, of times: [String]) throws -> Set<String> {
        let retention = try #require(BackupRetention(argument: rules))
        let kept = retention.kept(of: times.map(Self.date), now: Self.now)
        return Set(times.filter { kept.contains(Self.date($0)) })
    }

    @Test(
        "The latest backup of each period is kept for the rule's time",
        arguments: [
            ("2h:all", ["20261127T115959Z", "20261127T115958Z", "20261127T100000Z", "20261127T095959Z"], [0, 1, 2]),
            ("24h:hourly", ["20261127T115959Z", "20261127T110000Z", "20261127T105959Z", "20261126T105959Z"], [0, 2]),
            ("7d:daily", ["20261127T000000Z", "20261126T235959Z", "20261126T000000Z", "20261101T000000Z"], [0, 1]),
            ("30d:weekly", ["20261123T000000Z", "20261122T235959Z", "20261116T000000Z", "20261115T235959Z"], [0, 1, 3]),
            ("365d:monthly", ["20261101T000000Z", "20261031T235959Z", "20261001T000000Z", "20250101T000000Z"], [0, 1]),
            ("1h:all, 3d:daily", ["20261127T115000Z", "20261127T100000Z", "20261126T100000Z", "20261120T100000Z"], [0, 2]),
            // The latest backup stays, and so do backups from after the present time.
            ("1h:all", ["20261101T000000Z", "20261001T000000Z"], [0]),
            ("1h:all", ["20261128T000000Z", "20261127T235959Z", "20261127T000000Z"], [0, 1]),
        ] as [(String, [String], [Int])])
    func rules(rules: String, times: [String], expected: [Int]) throws {
        #expect(try kept(rules, of: times.reversed()) == Set(expected.map { times[$0] }))
    }

    @Test("Times before 1970 belong to a period, too")
    func early() throws {
        #expect(try kept("36500d:daily", of: ["19691231T235959Z", "19691231T000000Z", "19700101T000000Z"]).count == 2)
    }

    @Test(
        "Invalid rules and times are refused",
        arguments: [
            "", "daily", "7d", "7d:", ":daily", "0d:daily", "-1d:daily", "7x:daily", "7d:yearly", "7d:daily,",
            "99999999999999999999d:daily", "36501d:all",
        ])
    func refused(rules: String) {
        #expect(BackupRetention(argument: rules) == nil)
    }

    @Test(
        "Times need a unit",
        arguments: [("90s", 90), ("15m", 900), ("1h", 3_600), ("30d", 2_592_000), ("1", nil), ("h", nil), ("1.5h", nil)])
    func times(text: String, seconds: Int?) {
        #expect(BackupInterval(argument: text)?.seconds == seconds)
    }
}
