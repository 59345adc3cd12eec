/// Dates in HTTP's format: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
package enum HTTPDate {
    /// The last second of the year 9999: the format has four digits for the year.
    static let latest: Int64 = 253_402_300_799

    /// Formats seconds since 1970 as a date; times outside 1970 to 9999 are clamped.
    package static func format(_ unixSeconds: Int64) -> String {
        let seconds = min(max(unixSeconds, 0), latest)
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = civil(days: days)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(weekdays[Int((days + 4) % 7)]), \(padded(day, 2)) \(months[Int(month - 1)]) \(padded(year, 4)) \(clock) GMT"
    }

    /// Parses a date into seconds since 1970, also with hyphens as in cookies. `nil` if it is malformed or before 1970.
    package static func parse(_ text: some StringProtocol) -> Int64? {
        let fields = text.utf8.split { $0 == ASCII.space || $0 == ASCII.hyphen || $0 == ASCII.comma || $0 == ASCII.colon }
            .map { ASCII.text($0) }
        guard fields.count == 8, weekdays.contains(fields[0]), fields[7] == "GMT" else { return nil }
        guard let month = months.firstIndex(of: fields[2]), fields[3].utf8.count == 4 else { return nil }
        let digits = [fields[1], fields[3], fields[4], fields[5], fields[6]]
        let numbers = digits.compactMap { $0.utf8.count <= 4 ? ASCII.saturatingDecimal(Array($0.utf8)[...]) : nil }
        guard numbers.count == 5 else { return nil }
        let (day, year, hour, minute, second) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
        guard year >= 1970, hour < 24, minute < 60, second <= 60 else { return nil }
        let days = daysSince1970(year: year, month: Int64(month) + 1, day: day)
        guard civil(days: days) == (year, Int64(month) + 1, day) else { return nil }
        return days * 86_400 + hour * 3600 + minute * 60 + min(second, 59)
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    // Both conversions count in years that begin in March, so that the leap day is the last day of a year, and in eras of 400 years, after
    // which the calendar repeats. There are 719,468 days between 0000-03-01 and 1970-01-01.

    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
