import Testing

@testable import Soak

@Suite("Durations, counted by magnitude")
struct WaitsTests {
    @Test("A percentile is right within a twelfth")
    func below() {
        var waits = Waits()
        for milliseconds in 1...1_000 { waits.add(.milliseconds(milliseconds)) }
        #expect(waits.count == 1_000)
        #expect(waits.worst == .milliseconds(1_000))
        for (percent, expected) in [(50, 500.0), (99, 990)] {
            let found = waits.below(percent: percent) / .milliseconds(1)
            #expect(expected * 0.99...expected * 1.09 ~= found)
        }
        #expect(waits.below(percent: 100) == .milliseconds(1_000))
    }

    @Test("Percentiles are right without a duration, and for a very long one")
    func extremes() {
        var waits = Waits()
        #expect(waits.below(percent: 99) == .zero)
        waits.add(.seconds(1_000_000))
        #expect(waits.below(percent: 50) == .seconds(1_000_000))
    }
}
