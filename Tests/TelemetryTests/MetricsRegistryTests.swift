import CoreMetrics
import Testing

@testable import Telemetry

@Suite("The registry of metrics")
struct MetricsRegistryTests {
    private static let requests = MetricFamily("requests_total", .counter, "Requests.")
    private static let times = MetricFamily("request_seconds", "Time.")
    private static let size = MetricFamily("size_bytes", .gauge, "Size.")

    private static func lines(_ family: MetricFamily, _ registries: MetricsRegistry...) -> [String] {
        var text = PrometheusText()
        text.add(family, of: registries)
        return text.text.split(separator: "\n").map { String($0) }
    }

    @Test("A series has the registry's labels first, and series stand in the order in which they were made")
    func labels() {
        let registry = MetricsRegistry(labels: [("bridge", "b")]).part([("database", "shop")])
        let late = registry.counter(Self.requests, [("port", "public"), ("class", "_changes")])
        registry.counter(Self.requests, [("port", "admin"), ("class", "_all")]).increment(by: 3)
        late.increment()
        #expect(
            Self.lines(Self.requests, registry) == [
                "# HELP requests_total Requests.", "# TYPE requests_total counter",
                #"requests_total{bridge="b",database="shop",port="public",class="_changes"} 1"#,
                #"requests_total{bridge="b",database="shop",port="admin",class="_all"} 3"#,
            ])
        #expect(registry.count(of: Self.requests) == 4)
        #expect(registry.count(of: Self.requests, [("port", "admin")]) == 3)
        #expect(registry.count(of: Self.requests, [("port", "none")]) == 0)
    }

    @Test("A series that was made is there with 0, and a metric without series has no lines")
    func zero() {
        let registry = MetricsRegistry()
        #expect(Self.lines(Self.requests, registry).isEmpty)
        _ = registry.counter(Self.requests)
        #expect(Self.lines(Self.requests, registry).last == "requests_total 0")
    }

    @Test("The same labels mean the same series, other registries have series of their own")
    func sharing() {
        let (one, other) = (MetricsRegistry(labels: [("database", "a")]), MetricsRegistry(labels: [("database", "b")]))
        for _ in 0..<2 { one.counter(Self.requests, [("port", "public")]).increment() }
        other.counter(Self.requests, [("port", "public")]).increment(by: 5)
        #expect(
            Self.lines(Self.requests, one, other).dropFirst(2) == [
                #"requests_total{database="a",port="public"} 2"#, #"requests_total{database="b",port="public"} 5"#,
            ])
    }

    @Test("A timer's series is a histogram with our bounds, its sum and its number")
    func histogram() {
        let registry = MetricsRegistry()
        let timer = registry.timer(Self.times, [("class", "_changes")])
        for duration in [Duration.milliseconds(5), .milliseconds(6), .seconds(2), .seconds(60)] { timer.add(duration) }
        timer.add(.seconds(-1))
        let lines = Self.lines(Self.times, registry)
        #expect(lines[1] == "# TYPE request_seconds histogram")
        #expect(lines[2] == #"request_seconds_bucket{class="_changes",le="0.005"} 2"#)
        #expect(lines[3] == #"request_seconds_bucket{class="_changes",le="0.025"} 3"#)
        #expect(lines[10] == #"request_seconds_bucket{class="_changes",le="+Inf"} 5"#)
        #expect(lines[12] == #"request_seconds_count{class="_changes"} 5"#)
    }

    @Test("A gauge has its last value")
    func gauge() {
        let registry = MetricsRegistry()
        let gauge = Gauge(label: Self.size.name, factory: registry)
        gauge.record(7)
        gauge.record(3)
        #expect(Self.lines(Self.size, registry).last == "size_bytes 3")
        let meter = Meter(label: Self.size.name, factory: registry)
        meter.increment(by: 0.5)
        #expect(Self.lines(Self.size, registry).last == "size_bytes 3.5")
    }

    @Test("A destroyed series is gone")
    func destruction() {
        let registry = MetricsRegistry()
        let counter = registry.counter(Self.requests), timer = registry.timer(Self.times)
        counter.increment()
        counter.destroy()
        timer.destroy()
        #expect(Self.lines(Self.requests, registry).isEmpty && Self.lines(Self.times, registry).isEmpty)
        #expect(registry.count(of: Self.requests) == 0)
    }

    @Test("The factory of the process gets the same events with the same labels")
    func forwarding() {
        let process = RecordingFactory()
        let registry = MetricsRegistry(labels: [("database", "shop")], beside: process)
        registry.part([("replication", "r")]).counter(Self.requests, [("outcome", "stored")]).increment(by: 2)
        registry.timer(Self.times).add(.milliseconds(3))
        #expect(
            process.events == [
                #"requests_total[database=shop,replication=r,outcome=stored] 2"#, "request_seconds[database=shop] 3000000 ns",
            ])
        #expect(registry.histograms(of: Self.times).map(\.histogram.count) == [1])
        #expect(registry.count(of: Self.requests) == 0)
    }

    @Test("A registry of another bridge as the factory of the process gets nothing")
    func separation() {
        let first = MetricsRegistry()
        let second = MetricsRegistry(beside: first)
        second.counter(Self.requests).increment()
        #expect(first.count(of: Self.requests) == 0 && second.count(of: Self.requests) == 1)
    }
}
