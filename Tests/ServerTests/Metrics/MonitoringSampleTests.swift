import Foundation
import Logging
import Telemetry
import Testing

@testable import BridgeConfiguration
@testable import ReplicationService
@testable import Server

/// `/metrics` leaves out metrics without a value, so the names are read from the source.
@Suite("Metrics in docs/monitoring.md and in samples/monitoring")
struct MonitoringSampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The metrics of the bridge, with their types.
    private static func metrics() throws -> [String: String] {
        let sources = try [
            "Server/Metrics/Metrics", "Server/Metrics/Metrics+Databases", "Server/Metrics/Metrics+Replications",
            "Telemetry/Metrics/MetricFamily",
        ].map { try text(of: "Sources/\($0).swift") }
        let found = sources.joined().matches(of: /"((?:dualgauge|process)_\w+)",\s*(?:\.(\w+)|")/).map { match in
            (String(match.output.1), match.output.2.map { String($0) } ?? "histogram")
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// The metrics in a text; for a series of a histogram, the histogram.
    private static func names(in text: String, of metrics: [String: String]) -> Set<String> {
        Set(
            text.matches(of: /(?:dualgauge|process)_[a-z_]*[a-z]/).map { match in
                let name = String(match.output)
                let histogram = name.replacing(/_(bucket|sum|count)$/, with: "")
                return metrics[histogram] == "histogram" ? histogram : name
            })
    }

    @Test("Each metric of /metrics is in the source with the same type")
    func source() async throws {
        let metrics = try Self.metrics()
        let folder = try TemporaryFolder()
        var configuration = try shop(folder: folder.url)
        configuration.databasesFolder = "\(folder.url.path)/databases"
        let registry = try await DatabaseRegistry.open(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let text = await Metrics(registry, adminLogins: LoginCounts(ofAdminPortIn: MetricsRegistry())).text()
        try await registry.close()
        let told = text.matches(of: /# TYPE (\w+) (\w+)/).map { (name: String($0.output.1), type: String($0.output.2)) }
        #expect(told.count > 15)
        for metric in told { #expect(metrics[metric.name] == metric.type, "\(metric.name)") }
    }

    @Test(
        "Rules, dashboard and documentation name only existing metrics",
        arguments: ["samples/monitoring/alerts.yml", "samples/monitoring/dashboard.json", "docs/monitoring.md"])
    func onlyKnown(path: String) throws {
        let metrics = try Self.metrics()
        let names = Self.names(in: try Self.text(of: path), of: metrics)
        #expect(names.count > 10)
        #expect(names.subtracting(metrics.keys).sorted() == [])
    }

    @Test("The documentation has one row for each metric, with its type")
    func documentation() throws {
        let metrics = try Self.metrics()
        let rows = try Self.text(of: "docs/monitoring.md").matches(of: /\n\| `((?:dualgauge|process)_\w+)` \| (\w+) \|/).map { match in
            (String(match.output.1), String(match.output.2))
        }
        #expect(Dictionary(rows, uniquingKeysWith: { first, _ in first }) == metrics)
        #expect(rows.count == metrics.count)
    }

    @Test("Each alert leads to a section of docs/troubleshooting.md")
    func sections() throws {
        let anchors = try Self.text(of: "docs/troubleshooting.md").matches(of: /\n#+ (.+)/).map { match in
            match.output.1.lowercased().replacing(" ", with: "-").filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        }
        let rules = try Self.text(of: "samples/monitoring/alerts.yml")
        let links = rules.matches(of: /runbook_url: docs\/troubleshooting\.md#(\S+)/).map { String($0.output.1) }
        let alerts = rules.split(separator: "\n").filter { $0.contains("- alert:") }
        #expect(links.count == alerts.count && !links.isEmpty)
        for link in links { #expect(anchors.contains(link), "\(link)") }
    }
}
