import Gateway
import Testing

@testable import Migration

@Suite("Pace of a run")
struct PaceTests {
    @Test("A run waits for a source that takes three times as long as usual, and only then")
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

    @Test("A run does not wait in the first batches, nor for a source that is fast anyway")
    func unknown() {
        var latency = SourceLatency()
        for number in 1...4 { latency.expect(nil, for: .seconds(number)) }
        var fast = SourceLatency()
        for _ in 0..<10 { fast.expect(nil, for: .milliseconds(2)) }
        fast.expect(nil, for: .milliseconds(150))
    }

    @Test("A rate limit applies to the whole run, without a burst after a wait for the source")
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

    @Test("Batches shrink where they take long, and grow again up to their limit")
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
