/// When versions of our own were made, as version vectors tell it.
///
/// Clients resolve conflicts by these times, so they are the times of the writes. One unit of ours is 2^16 nanoseconds: the low bits count in
/// LiteCore (HybridClock.hh), and are zero in versions of servers.
enum VersionClock {
    private static let unit: UInt64 = 1 << 16

    /// How far versions of one document that were made in the same millisecond get ahead of the clock at most, in milliseconds: there are 150 of them.
    private static let lead: Int64 = 10

    /// What LiteCore takes for a clock that goes wrong (HybridClock.hh): two minutes.
    private static let tolerance: UInt64 = 120_000_000_000

    /// - Parameters:
    ///   - changed: When the revision was written, in milliseconds since 1970.
    ///   - now: The clock; no version is ahead of it but for what follows `last`.
    ///   - last: The newest time that a version of ours has in the document; 0 for none.
    static func time(changed: Int64, now: Int64, after last: UInt64) -> UInt64 {
        let written = nanoseconds(min(changed, now)) / unit * unit
        guard written <= last else { return max(written, unit) }
        let (next, overflow) = (last / unit * unit).addingReportingOverflow(unit)
        return overflow ? .max : next
    }

    /// The time of what was written after a backup was restored. It is newer than that of every version that was lost: where much was written at
    /// once, those were a little ahead of the clock, and so are these.
    ///
    /// - Parameter restored: In milliseconds since 1970.
    static func time(changed: Int64, now: Int64, after last: UInt64, restored: Int64) -> UInt64 {
        time(changed: changed &+ lead, now: now &+ lead, after: max(last, latestLost(restored: restored)))
    }

    /// The latest time that a version of ours can have that was lost when a backup was restored.
    ///
    /// - Parameter restored: In milliseconds since 1970.
    static func latestLost(restored: Int64) -> UInt64 {
        nanoseconds(restored.addingReportingOverflow(lead).partialValue) / unit * unit
    }

    /// The latest time that a version of ours can have that is not known here, because a backup was restored.
    static func latest(at now: Int64) -> UInt64 {
        let (latest, overflow) = nanoseconds(now).addingReportingOverflow(tolerance)
        return overflow ? .max : latest
    }

    private static func nanoseconds(_ milliseconds: Int64) -> UInt64 {
        let (time, overflow) = UInt64(max(milliseconds, 0)).multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max : time
    }
}
