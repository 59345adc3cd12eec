import Foundation
import Synchronization

/// The `Date` header's value, made once a second.
enum HTTPDate {
    private static let cached = Mutex((second: 0, text: ""))

    static func now() -> String {
        let second = Int(Date().timeIntervalSince1970)
        return cached.withLock { cached in
            if cached.second != second { cached = (second, text(second: second)) }
            return cached.text
        }
    }

    /// The time as RFC 9110 5.6.7 wants it: `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(second: Int) -> String {
        let days = second.quotient(by: 86_400)
        let rest = second - days * 86_400
        // Days to a date of the Gregorian calendar, counted in eras of 400 years that begin on 1 March.
        let shifted = days + 719_468
        let era = shifted.quotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let weekday = days - (days + 4).quotient(by: 7) * 7 + 4
        return "\(weekdays[weekday]), \(digits(day)) \(months[month - 1]) \(year) "
            + "\(digits(rest / 3_600)):\(digits(rest / 60 % 60)):\(digits(rest % 60)) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func digits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension Int {
    /// The quotient rounded down, so that times before 1970 work too.
    fileprivate func quotient(by divisor: Int) -> Int {
        (self >= 0 ? self : self - divisor + 1) / divisor
    }
}
