import Gateway
import Testing

@testable import Migration

@Suite("How fast a run may go")
struct PaceTests {
    @Test("A source is left alone when it takes three times as long as as a rule, and only then")
    func latency() throws {
        var latency = SourceLatency()
        for _ in 0..<10 { #expect(latency.note(.milliseconds(100)) == nil) }
        #expect(latency.note(.milliseconds(290)) == nil)
        let slow = try #require(latency.note(.milliseconds(900)))
        #expect(slow.wait == .milliseconds(900))
        #expect(slow.reason == "the source has become slow: 900 ms for a batch, 100 ms as a rule")
        let worse = try #require(latency.note(.seconds(60)))
        #expect(worse.wait == .seconds(10))
        #expect(worse.reason.contains("60.0 s"))
    }

    @Test("Nothing is said of the first batches, nor of a source that is fast enough for anybody")
    func unknown() {
        var latency = SourceLatency()
        for number in 1...4 { #expect(latency.note(.seconds(number)) == nil) }
        var fast = SourceLatency()
        for _ in 0..<10 { #expect(fast.note(.milliseconds(2)) == nil) }
        #expect(fast.note(.milliseconds(150)) == nil)
    }

    @Test("A rate holds over a run, and what was lost by waiting for the source is not caught up in a burst")
    func rate() {
        var rate = MigrationRate(100)
        #expect(rate.note(50, now: .zero) == .milliseconds(500))
        #expect(rate.note(50, now: .milliseconds(500)) == .milliseconds(500))
        #expect(rate.note(50, now: .seconds(60)) == nil)
        #expect(rate.note(100, now: .seconds(60)) == .milliseconds(500))
        var none = MigrationRate(nil)
        #expect(none.note(1_000_000, now: .zero) == nil)
    }

    @Test("Steps shrink where they last, and grow again up to their limit")
    func steps() {
        var size = StepSize(maximum: 300)
        #expect(size.count == 100)
        size.note(.milliseconds(200))
        #expect(size.count == 50)
        size.note(.milliseconds(40))
        #expect(size.count == 50)
        for _ in 0..<5 { size.note(.milliseconds(5)) }
        #expect(size.count == 300)
        for _ in 0..<20 { size.note(.seconds(1)) }
        #expect(size.count == 1)
        #expect(StepSize(maximum: 0).count == 1)
    }
}
