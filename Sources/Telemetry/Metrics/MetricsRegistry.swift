import Coordination
package import CoreMetrics

/// The metrics of one part of a bridge: a factory whose handlers keep the values for the Prometheus text.
///
/// A bridge has a registry, and so has each of its databases, stores and replications; their counts begin at 0 with them and end with them. So
/// several bridges in a process have counts of their own. Handlers are made once, when a part begins or a series first occurs.
package final class MetricsRegistry: MetricsFactory {
    package typealias Labels = [(name: String, value: String)]

    private struct State {
        var counters = SeriesTable<CountHandler>()
        var gauges = SeriesTable<GaugeHandler>()
        var histograms = SeriesTable<HistogramHandler>()
    }

    private let state = Lock(State())

    /// The first labels of all series.
    private let labels: Labels

    /// The factory that the process has bootstrapped; `nil` if it has none. It also gets everything that is recorded here.
    private let process: (any MetricsFactory)?

    /// - Parameter process: a factory that also gets what is recorded. A registry or a factory that does nothing is left out.
    package init(labels: Labels = [], beside process: (any MetricsFactory)? = nil) {
        self.labels = labels
        self.process = process.flatMap { $0 is NOOPMetricsHandler || $0 is MetricsRegistry ? nil : $0 }
    }

    /// An empty registry for a part, whose series have these labels besides.
    package func part(_ labels: Labels) -> MetricsRegistry {
        MetricsRegistry(labels: self.labels + labels, beside: process)
    }

    /// The factory that makes handlers of this registry and of the process.
    private var recording: any MetricsFactory {
        process.map { MultiplexMetricsHandler(factories: [self, $0]) } ?? self
    }

    package func counter(_ family: MetricFamily, _ labels: Labels = []) -> Counter {
        Counter(label: family.name, dimensions: dimensions(labels), factory: recording)
    }

    package func timer(_ family: MetricFamily, _ labels: Labels = []) -> CoreMetrics.Timer {
        CoreMetrics.Timer(label: family.name, dimensions: dimensions(labels), factory: recording)
    }

    private func dimensions(_ labels: Labels) -> [(String, String)] { (self.labels + labels).map { ($0.name, $0.value) } }
}

/// The recorded values.
extension MetricsRegistry {
    /// The series of a counter or a gauge, in the order in which they were made.
    package func samples(of family: MetricFamily) -> [PrometheusText.Sample] {
        state.withLock { state in
            family.kind == .counter
                ? state.counters[family.name].map { .init($0.labels, $0.handler.value) }
                : state.gauges[family.name].map { .init($0.labels, number: $0.handler.value) }
        }
    }

    /// The series of a histogram, in the order in which they were made.
    package func histograms(of family: MetricFamily) -> [(labels: Labels, histogram: LatencyHistogram)] {
        state.withLock { state in state.histograms[family.name].map { ($0.labels, $0.handler.histogram) } }
    }

    /// The sum of a counter's series that have these labels.
    package func count(of family: MetricFamily, _ labels: Labels = []) -> Int64 {
        state.withLock { state in
            state.counters[family.name].filter { series in
                labels.allSatisfy { label in series.labels.contains { $0 == label } }
            }.reduce(0) { $0 &+ $1.handler.value }
        }
    }
}

extension MetricsRegistry {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        state.withLock { $0.counters.handler(label, dimensions, CountHandler.init) }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        state.withLock { $0.gauges.handler(label, dimensions, GaugeHandler.init) }
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        state.withLock { state -> any RecorderHandler in
            if aggregate { return state.histograms.handler(label, dimensions, HistogramHandler.init) }
            return state.gauges.handler(label, dimensions, GaugeHandler.init)
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        state.withLock { $0.histograms.handler(label, dimensions, HistogramHandler.init) }
    }

    package func destroyCounter(_ handler: any CounterHandler) { state.withLock { $0.counters.remove(handler) } }
    package func destroyMeter(_ handler: any MeterHandler) { state.withLock { $0.gauges.remove(handler) } }
    package func destroyTimer(_ handler: any TimerHandler) { state.withLock { $0.histograms.remove(handler) } }

    package func destroyRecorder(_ handler: any RecorderHandler) {
        state.withLock { state in
            state.gauges.remove(handler)
            state.histograms.remove(handler)
        }
    }
}

/// The series of one type of metric, by the metric's name.
private struct SeriesTable<Handler: AnyObject & Sendable> {
    struct Series {
        let labels: MetricsRegistry.Labels
        let handler: Handler
    }

    private var series: [String: [Series]] = [:]

    subscript(name: String) -> [Series] { series[name] ?? [] }

    /// The handler of a series, which is made if there is none.
    mutating func handler(_ name: String, _ dimensions: [(String, String)], _ make: () -> Handler) -> Handler {
        if let known = self[name].first(where: { $0.labels.elementsEqual(dimensions) { $0 == $1 } }) { return known.handler }
        let new = Series(labels: dimensions.map { ($0.0, $0.1) }, handler: make())
        series[name, default: []].append(new)
        return new.handler
    }

    mutating func remove(_ handler: any AnyObject) {
        for name in series.keys { series[name]?.removeAll { $0.handler === handler } }
    }
}
