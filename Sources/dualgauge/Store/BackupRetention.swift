import ArgumentParser
import Foundation

/// The rules that select which backups of a series are retained, such as `24h:hourly,30d:daily`.
///
/// The example retains the latest backup of each hour for the last 24 hours, and the latest of each day for the last 30 days.
struct BackupRetention: ExpressibleByArgument, Equatable, Sendable {
    enum Period: String, CaseIterable, Sendable {
        case all, hourly, daily, weekly, monthly

        /// The number of the period that contains a time. Periods start at an hour, at midnight, on Monday or on the first of a month, in UTC.
        fileprivate func number(of time: Date) -> Int {
            let seconds = Int(time.timeIntervalSince1970.rounded(.down))
            return switch self {
            case .all: seconds
            case .hourly: Self.floor(seconds, by: 3_600)
            case .daily: Self.floor(seconds, by: 86_400)
            // 1 January 1970 was a Thursday.
            case .weekly: Self.floor(Self.floor(seconds, by: 86_400) + 3, by: 7)
            case .monthly: Self.month(of: time)
            }
        }

        private static func floor(_ number: Int, by size: Int) -> Int { (number - (number % size + size) % size) / size }

        private static func month(of time: Date) -> Int {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let parts = calendar.dateComponents([.year, .month], from: time)
            return (parts.year ?? 0) * 12 + (parts.month ?? 0)
        }
    }

    struct Rule: Equatable, Sendable {
        /// The age limit of the rule, in seconds.
        let age: Int
        let period: Period
    }

    let rules: [Rule]

    init(rules: [Rule]) {
        self.rules = rules
    }

    init?(argument: String) {
        var rules: [Rule] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: ":", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
            guard words.count == 2, let age = BackupInterval(argument: words[0]), let period = Period(rawValue: words[1]) else {
                return nil
            }
            rules.append(Rule(age: age.seconds, period: period))
        }
        self.rules = rules
    }

    /// The times of backups to retain. The latest one is always retained, and so are times after `now`, which result from a clock that was set
    /// back.
    func kept(of times: [Date], now: Date) -> Set<Date> {
        let latestFirst = Set(times).sorted(by: >)
        var kept = Set(latestFirst.prefix(1)).union(latestFirst.filter { $0 > now })
        for rule in rules {
            var seen: Set<Int> = []
            for time in latestFirst where now.timeIntervalSince(time) <= Double(rule.age) {
                if seen.insert(rule.period.number(of: time)).inserted { kept.insert(time) }
            }
        }
        return kept
    }
}

/// A duration such as `15m`, `1h` or `30d`.
struct BackupInterval: ExpressibleByArgument, Equatable, Sendable {
    /// The longest duration: a hundred years, so that sums with dates do not overflow.
    private static let longest = 36_500 * 86_400
    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    let seconds: Int

    init?(argument: String) {
        guard let unit = argument.last.flatMap({ Self.units[$0] }), let number = Int(argument.dropLast()), number > 0,
            number <= Self.longest / unit
        else { return nil }
        seconds = number * unit
    }
}
