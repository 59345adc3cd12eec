import BridgeConfiguration
import ReplicationService
import Storage

/// Metrics in Prometheus's text format, version 0.0.4.
struct PrometheusText: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    typealias Labels = [(name: String, value: String)]

    struct Sample: Sendable {
        let labels: Labels
        let value: String

        init(_ labels: Labels, _ value: some BinaryInteger) {
            self.labels = labels
            self.value = "\(value)"
        }

        init(_ labels: Labels, seconds: Double) {
            self.labels = labels
            value = "\(seconds)"
        }
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Adds a metric with its samples. Omits a metric without samples.
    mutating func add(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        begin(name, kind, help)
        for sample in samples { add("\(name)", sample.labels, sample.value) }
    }

    /// Adds histograms: their buckets, sums and counts.
    mutating func add(_ name: StaticString, _ help: StaticString, _ histograms: [(labels: Labels, histogram: LatencyHistogram)]) {
        guard !histograms.isEmpty else { return }
        begin(name, .histogram, help)
        for (labels, histogram) in histograms {
            for (bound, count) in histogram.cumulative { add("\(name)_bucket", labels + [("le", bound)], "\(count)") }
            add("\(name)_sum", labels, "\(histogram.sum)")
            add("\(name)_count", labels, "\(histogram.count)")
        }
    }

    private mutating func begin(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
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
