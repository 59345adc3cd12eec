import Telemetry
import Testing

@Suite("Prometheus's text format")
struct PrometheusTextTests {
    @Test("The text is Prometheus's, and labels are escaped")
    func text() {
        var text = PrometheusText()
        text.add("a_total", .counter, "What it is.", [.init([("x", "1"), ("y", "a\"b\\c\nd")], 3), .init([], Int64.max)])
        text.add("none", .gauge, "Left out.", [])
        #expect(
            text.text == """
                # HELP a_total What it is.
                # TYPE a_total counter
                a_total{x="1",y="a\\"b\\\\c\\nd"} 3
                a_total 9223372036854775807

                """)
    }

    @Test("A histogram has its classes, their sum and their number")
    func histogram() {
        var histogram = LatencyHistogram()
        for seconds in [0.005, 0.006, 2, 60] { histogram.add(seconds: seconds) }
        #expect(histogram.count == 4)
        #expect(histogram.cumulative.map(\.count) == [1, 2, 2, 2, 2, 2, 3, 3, 4])
        var text = PrometheusText()
        text.add(MetricFamily("t_seconds", "Time."), [([("class", "_changes")], histogram)])
        let lines = text.text.split(separator: "\n")
        #expect(lines[1] == "# TYPE t_seconds histogram")
        #expect(lines[2] == #"t_seconds_bucket{class="_changes",le="0.005"} 1"#)
        #expect(lines[10] == #"t_seconds_bucket{class="_changes",le="+Inf"} 4"#)
        #expect(lines[12] == #"t_seconds_count{class="_changes"} 4"#)
    }
}
