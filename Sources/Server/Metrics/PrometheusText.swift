/// Metrics in Prometheus's text format, version 0.0.4.
struct PrometheusText: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge
    }

    struct Sample: Sendable {
        let labels: [(name: String, value: String)]
        let value: Int64

        init(_ labels: [(name: String, value: String)], _ value: some BinaryInteger) {
            self.labels = labels
            self.value = Int64(clamping: value)
        }
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Adds a metric with its samples; one without samples is left out.
    mutating func add(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.value)\n"
        }
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
