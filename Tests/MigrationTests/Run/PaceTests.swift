import Gateway
import Testing

@testable import Migration

@Suite("How fast a run may go")
struct PaceTests {
    @Test("A source is left alone when it takes three times as long as as a rule, and only then")
    func latency() throws {
        var latency = SourceLatency()
        for _ in 0..<10 { latency.expect(nil, for: .milliseconds(100)) }
        latency.expect(nil, for: .milliseconds(290))
        let first = latency.record(.milliseconds(900))
        let slow = try #require(first)
        #expect(slow.wait == .milliseconds(900))
        #expect(slow.reason == "the source has become slow: 900 ms for a batch, 100 ms as a rule")
        let second = latency.record(.seconds(60))
        let worse = try #require(second)
        #expect(worse.wait == .seconds(10))
        #expect(worse.reason.contains("60.0 s"))
    }

    @Test("Nothing is said of the first batches, nor of a source that is fast enough for anybody")
    func unknown() {
        var latency = SourceLatency()
        for number in 1...4 { latency.expect(nil, for: .seconds(number)) }
        var fast = SourceLatency()
        for _ in 0..<10 { fast.expect(nil, for: .milliseconds(2)) }
        fast.expect(nil, for: .milliseconds(150))
    }

    @Test("A rate holds over a run, and what was lost by waiting for the source is not caught up in a burst")
    func rate() {
        var rate = MigrationRate(100)
        let waits = [(50, Duration.zero), (50, .milliseconds(500)), (50, .seconds(60)), (100, .seconds(60))].map { documents, now in
            rate.note(documents, now: now)
        }
        #expect(waits == [.milliseconds(500), .milliseconds(500), nil, .milliseconds(500)])
        var none = MigrationRate(nil)
        let wait = none.note(1_000_000, now: .zero)
        #expect(wait == nil)
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

extension SourceLatency {
    /// Records a latency and expects this wait.
    fileprivate mutating func expect(_ wait: Duration?, for latency: Duration) {
        let result = record(latency)?.wait
        #expect(result == wait)
    }
}
