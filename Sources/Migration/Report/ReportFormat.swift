import Foundation

/// Formats numbers, times and untrusted text for reports, independently of the locale.
package enum ReportFormat {
    /// `1,234,567`.
    package static func count(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// `1.8 MB`.
    package static func bytes(_ number: Int) -> String {
        guard number >= 1000 else { return "\(number) B" }
        var value = Double(number)
        var unit = "B"
        for next in ["kB", "MB", "GB", "TB", "PB"] where value >= 1000 {
            value /= 1000
            unit = next
        }
        return "\(decimal(value)) \(unit)"
    }

    /// `850 ms`, `12.5 s`, `4 min 05 s`, `2 h 14 min`.
    package static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds > 0 else { return "0 s" }
        guard seconds >= 1 else { return "\(Int(seconds * 1000)) ms" }
        guard seconds >= 60 else { return "\(decimal(seconds)) s" }
        let whole = Int(min(seconds, 1e12))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return whole < 3600 ? "\(whole / 60) min \(two(whole % 60)) s" : "\(count(whole / 3600)) h \(two(whole / 60 % 60)) min"
    }

    /// Documents a second: `480/s`.
    package static func rate(_ rate: Double) -> String {
        guard rate.isFinite, rate > 0 else { return "0/s" }
        return rate < 10 ? "\(decimal(rate))/s" : "\(count(Int(min(rate, 1e12))))/s"
    }

    /// A share of a whole: `99.9 %`. Only an exact whole or zero gives `100 %` or `0 %`.
    package static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0, part > 0 else { return "0 %" }
        guard part < whole else { return "100 %" }
        return "\(decimal(min(99.9, max(0.1, Double(part) / Double(whole) * 100)))) %"
    }

    /// Untrusted text on one line. Characters that could end the line, move the cursor or change the writing direction are shown as code points.
    /// Text longer than `limit` characters is truncated.
    package static func plain(_ text: String, limit: Int = 300) -> String {
        var result = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < limit else { return result + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                result += "⟨U+\(String(scalar.value, radix: 16, uppercase: true))⟩"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// At most one digit after the decimal point, truncated rather than rounded.
    private static func decimal(_ value: Double) -> String {
        let tenths = Int(value * 10)
        return tenths % 10 == 0 || tenths >= 1000 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
