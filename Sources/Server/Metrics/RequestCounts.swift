import Coordination
import CoreMetrics
import HTTP
import HTTPListener
import HTTPTypes
import LegacyServer
import ReplicationService
import Storage
import Telemetry

/// Counts of requests by port, class and status, and of the time until the response began.
final class RequestCounts: Sendable {
    private struct Key: Hashable {
        let kind: RequestClass
        let port: PortKind
        let status: Int
    }

    private struct Series {
        let count: Counter
        let time: CoreMetrics.Timer
    }

    private let metrics: MetricsRegistry
    private let series = Lock<[Key: Series]>([:])

    init(_ metrics: MetricsRegistry) {
        self.metrics = metrics
    }

    /// The counts in the order of class, port and status.
    var samples: [PrometheusText.Sample] {
        metrics.samples(of: .requests).sorted { (Self.order($0.labels), Self.status($0)) < (Self.order($1.labels), Self.status($1)) }
    }

    /// The times until responses began, in the order of class and port.
    var times: [(labels: MetricsRegistry.Labels, histogram: LatencyHistogram)] {
        metrics.histograms(of: .requestTime).sorted { Self.order($0.labels) < Self.order($1.labels) }
    }

    /// The number of responses with a status from 500 on.
    var failures: Int { samples.filter { Self.status($0) >= 500 }.reduce(0) { $0 + (Int($1.value) ?? 0) } }

    /// Counts a response whose head is about to be sent.
    func count(_ kind: RequestClass, _ port: PortKind, _ status: HTTPResponse.Status, after duration: Duration) {
        let key = Key(kind: kind, port: port, status: status.code)
        let series = series.withLock { all in
            if let known = all[key] { return known }
            let labels = [(name: "port", value: "\(port)"), (name: "class", value: kind.name)]
            let new = Series(
                count: metrics.counter(.requests, labels + [("status", String(status.code))]), time: metrics.timer(.requestTime, labels))
            all[key] = new
            return new
        }
        series.count.increment()
        series.time.add(duration)
    }

    private static func order(_ labels: MetricsRegistry.Labels) -> String {
        func value(_ name: String) -> String { labels.first { $0.name == name }?.value ?? "" }
        return "\(value("class")) \(value("port"))"
    }

    private static func status(_ sample: PrometheusText.Sample) -> Int {
        sample.labels.first { $0.name == "status" }.flatMap { Int($0.value) } ?? 0
    }
}

/// The class of a request by its path: one of a fixed set of names, whatever clients send.
struct RequestClass: Hashable, Sendable {
    let name: String

    private init(_ name: String) {
        self.name = name
    }

    /// The class of paths that the route table does not contain.
    static let unknown = RequestClass("unknown")

    init(_ target: RequestTarget) {
        guard let first = target.segments.first?.value, !first.isEmpty else {
            self.init(target.segments.count > 1 ? "unknown" : "root")
            return
        }
        let isReserved = first.utf8.first == UInt8(ascii: "_")
        if isReserved || target.segments.count == 1 && !target.hasTrailingSlash {
            let match = Self.server.match(target.segments[...])
            if isReserved || match != nil {
                self = match?.value ?? .unknown
                return
            }
        }
        guard let second = target.segments.dropFirst().first?.value else {
            self.init("database")
            return
        }
        guard second.utf8.first == UInt8(ascii: "_") else {
            self.init(target.segments.count == 2 ? "document" : "attachment")
            return
        }
        self.init(Self.names.contains(second) ? second : "unknown")
    }

    private static let server = PathTable(
        HTTPRoute.all.compactMap { route -> (PathPattern, RequestClass)? in
            guard route.place == .server, case .path(let pattern) = route.pattern else { return nil }
            return (pattern, RequestClass(route.requestClass))
        })

    /// The classes of the routes below a database's name.
    private static let names = Set(HTTPRoute.all.filter { $0.place != .server }.map(\.requestClass))
}
