/// Metrics in Prometheus's text format, version 0.0.4.
package struct PrometheusText: Sendable {
    package typealias Labels = MetricsRegistry.Labels

    package struct Sample: Sendable {
        package let labels: Labels
        package let value: String

        package init(_ labels: Labels, _ value: some BinaryInteger) {
            self.labels = labels
            self.value = "\(value)"
        }

        package init(_ labels: Labels, seconds: Double) {
            self.labels = labels
            value = "\(seconds)"
        }

        /// Integers have no decimal point.
        package init(_ labels: Labels, number: Double) {
            self.labels = labels
            value = Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        }
    }

    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    package init() {}

    /// Adds a metric that a scrape reads. Omits a metric without samples.
    package mutating func add(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ samples: [Sample]) {
        add(MetricFamily(name, kind, help), samples)
    }

    /// Adds a metric with its samples. Omits a metric without samples.
    package mutating func add(_ family: MetricFamily, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        begin(family)
        for sample in samples { add(family.name, sample.labels, sample.value) }
    }

    /// Adds histograms: their buckets, sums and counts.
    package mutating func add(_ family: MetricFamily, _ histograms: [(labels: Labels, histogram: LatencyHistogram)]) {
        guard !histograms.isEmpty else { return }
        begin(family)
        for (labels, histogram) in histograms {
            for (bound, count) in histogram.cumulative { add("\(family.name)_bucket", labels + [("le", bound)], "\(count)") }
            add("\(family.name)_sum", labels, "\(histogram.sum)")
            add("\(family.name)_count", labels, "\(histogram.count)")
        }
    }

    /// Adds a metric with the series of registries, one registry after the other.
    package mutating func add(_ family: MetricFamily, of registries: [MetricsRegistry]) {
        switch family.kind {
        case .histogram: add(family, registries.flatMap { $0.histograms(of: family) })
        case .counter, .gauge: add(family, registries.flatMap { $0.samples(of: family) })
        }
    }

    private mutating func begin(_ family: MetricFamily) {
        text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind.rawValue)\n"
    }

    private mutating func add(_ name: String, _ labels: Labels, _ value: String) {
        let labels = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
