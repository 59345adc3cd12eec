/// Parses sizes and durations with units.
package enum Quantity {
    private static let sizes: [(unit: String, bytes: Int)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("kB", 1000), ("KB", 1000), ("MB", 1_000_000),
        ("GB", 1_000_000_000), ("B", 1),
    ]

    private static let durations: [(unit: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The bytes of `20MiB`, `512kB` or `1024`.
    static func size(_ text: String) -> Int? {
        for (unit, bytes) in sizes where text.hasSuffix(unit) {
            guard let number = Int(text.dropLast(unit.count)), number >= 0 else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: bytes)
            return overflow ? nil : product
        }
        return Int(text).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The longest duration in milliseconds: a hundred years, so that a date plus a duration in nanoseconds fits into 64 bits.
    private static let longest: Int64 = 36_500 * 86_400_000

    /// The duration of `250ms`, `30s`, `5m`, `2h` or `1d`.
    package static func duration(_ text: String) -> Duration? {
        for (unit, milliseconds) in durations where text.hasSuffix(unit) {
            guard let number = Int64(text.dropLast(unit.count)), 0...longest / milliseconds ~= number else { continue }
            return .milliseconds(number * milliseconds)
        }
        return nil
    }
}
