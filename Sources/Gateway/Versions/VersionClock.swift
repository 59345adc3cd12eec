/// The times of this database's own versions.
///
/// Clients resolve conflicts by these times, so they are the times of the writes. The unit is 2^16 nanoseconds: LiteCore uses the low bits as a
/// counter (HybridClock.hh), and they are zero in versions of servers.
enum VersionClock {
    private static let unit: UInt64 = 1 << 16

    /// How far one document's versions of the same millisecond may run ahead of the clock, in milliseconds. There is room for 150 of them.
    private static let lead: Int64 = 10

    /// The difference from which LiteCore considers a clock wrong (HybridClock.hh): two minutes.
    private static let tolerance: UInt64 = 120_000_000_000

    /// - Parameters:
    ///   - changed: The time of the write, in milliseconds since 1970.
    ///   - now: The clock; no version is ahead of it unless it has to follow `last`.
    ///   - last: The latest time of an own version in the document; 0 for none.
    static func time(changed: Int64, now: Int64, after last: UInt64) -> UInt64 {
        let written = nanoseconds(min(changed, now)) / unit * unit
        guard written <= last else { return max(written, unit) }
        let (next, overflow) = (last / unit * unit).addingReportingOverflow(unit)
        return overflow ? .max : next
    }

    /// The time of a write after a restore. It is after all lost versions: under many writes those ran slightly ahead of the clock, and so does
    /// this one.
    ///
    /// - Parameter restored: In milliseconds since 1970.
    static func time(changed: Int64, now: Int64, after last: UInt64, restored: Int64) -> UInt64 {
        time(changed: changed &+ lead, now: now &+ lead, after: max(last, latestLost(restored: restored)))
    }

    /// The latest possible time of an own version that a restored backup has lost.
    ///
    /// - Parameter restored: In milliseconds since 1970.
    static func latestLost(restored: Int64) -> UInt64 {
        nanoseconds(restored.addingReportingOverflow(lead).partialValue) / unit * unit
    }

    /// The latest possible time of an own version that is unknown here because a backup was restored.
    static func latest(at now: Int64) -> UInt64 {
        let (latest, overflow) = nanoseconds(now).addingReportingOverflow(tolerance)
        return overflow ? .max : latest
    }

    private static func nanoseconds(_ milliseconds: Int64) -> UInt64 {
        let (time, overflow) = UInt64(max(milliseconds, 0)).multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max : time
    }
}
