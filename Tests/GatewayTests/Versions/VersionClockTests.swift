import Testing

@testable import Gateway

@Suite("Times of versions")
struct VersionClockTests {
    @Test("A version has the time of its write, in steps of 2^16 nanoseconds")
    func time() {
        let time = VersionClock.time(changed: 1_795_230_686_000, now: 1_795_230_686_500, after: 0)
        #expect(time & 0xffff == 0)
        #expect(time <= 1_795_230_686_000_000_000 && time > 1_795_230_685_999_000_000)
    }

    @Test("A version is newer than the previous one, and otherwise not ahead of the clock")
    func order() {
        let now: Int64 = 1_795_230_686_000
        let time = VersionClock.time(changed: now, now: now, after: 0)
        #expect(VersionClock.time(changed: now + 5_000, now: now, after: 0) == time)
        #expect(VersionClock.time(changed: now, now: now, after: time) == time + 0x10000)
        #expect(VersionClock.time(changed: now, now: now, after: time + 3) == time + 0x10000)
        #expect(VersionClock.time(changed: now, now: now, after: time - 1) == time)
        #expect(VersionClock.time(changed: now - 60_000, now: now, after: time) == time + 0x10000)
    }

    @Test("After a restore a version is newer than the lost ones, and then follows the clock")
    func restored() {
        let restored: Int64 = 1_795_230_686_000
        let lost = VersionClock.time(changed: restored, now: restored, after: 0) + 100 * 0x10000
        let first = VersionClock.time(changed: restored, now: restored, after: 0, restored: restored)
        let next = VersionClock.time(changed: restored + 1, now: restored + 1, after: 0, restored: restored)
        #expect(first > lost && next > first)
        // A clock that was set back.
        #expect(VersionClock.time(changed: restored - 60_000, now: restored - 60_000, after: 0, restored: restored) == first)
        #expect(VersionClock.time(changed: restored, now: restored, after: next, restored: restored) > next)
        #expect(next < VersionClock.time(changed: restored + 50, now: restored + 50, after: 0))
    }

    @Test("Impossible times do not trap", arguments: [Int64.min, -1, 0, .max])
    func extremes(changed: Int64) {
        #expect(VersionClock.time(changed: changed, now: .max, after: 0) > 0)
        #expect(VersionClock.time(changed: changed, now: .min, after: .max) == .max)
        #expect(VersionClock.time(changed: changed, now: 0, after: .max - 5) == .max)
        #expect(VersionClock.time(changed: changed, now: changed, after: 0, restored: changed) > 0)
    }
}
