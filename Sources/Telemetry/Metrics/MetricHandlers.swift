import Coordination
package import CoreMetrics
import Synchronization

/// The handler of a counter. It only grows, until it is reset.
final class CountHandler: CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        count.store(0, ordering: .relaxed)
    }
}

/// The handler of a gauge or a meter: the last value counts.
final class GaugeHandler: RecorderHandler, MeterHandler {
    private let state = Lock(0.0)

    var value: Double { state.withLock { $0 } }

    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0 = value } }
    func increment(by amount: Double) { state.withLock { $0 += amount } }
    func decrement(by amount: Double) { state.withLock { $0 -= amount } }
}

/// The handler of a timer, or of a recorder of seconds that keeps the distribution of its values.
final class HistogramHandler: TimerHandler, RecorderHandler {
    private let state = Lock(LatencyHistogram())

    var histogram: LatencyHistogram { state.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        state.withLock { $0.add(seconds: value) }
    }
}

extension CoreMetrics.Timer {
    /// Records a duration. Negative durations count as 0, those over 292 years as 292 years.
    package func add(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        recordNanoseconds(isTooMuch || isOver ? .max : max(0, sum))
    }

    /// Records the time from `start` to now.
    package func add(since start: ContinuousClock.Instant) { add(ContinuousClock.now - start) }
}
