import HTTP
import HTTPTypes
import LegacyServer
import ReplicationService
import Storage
import Synchronization

/// Counts of requests by port, class and status, and of the time until the response began.
final class RequestCounts: Sendable {
    struct Endpoint: Hashable, Sendable {
        let kind: RequestClass
        let port: PortKind
    }

    struct Key: Hashable, Sendable {
        let endpoint: Endpoint
        let status: Int
    }

    private struct State {
        var counts: [Key: Int] = [:]
        var latencies: [Endpoint: LatencyHistogram] = [:]
    }

    private let state = Mutex(State())

    var all: [Key: Int] { state.withLock { $0.counts } }

    var latencies: [Endpoint: LatencyHistogram] { state.withLock { $0.latencies } }

    /// Counts a response whose head is about to be sent.
    func count(_ kind: RequestClass, _ port: PortKind, _ status: HTTPResponse.Status, after duration: Duration) {
        let endpoint = Endpoint(kind: kind, port: port)
        state.withLock { state in
            state.counts[Key(endpoint: endpoint, status: status.code), default: 0] += 1
            state.latencies[endpoint, default: LatencyHistogram()].add(duration)
        }
    }
}

/// The class of a request by its path: one of a fixed set of names, whatever clients send.
struct RequestClass: Hashable, Sendable {
    let name: String

    private init(_ name: String) {
        self.name = name
    }

    /// The class of paths that no route table contains.
    static let unknown = RequestClass("unknown")

    init(_ target: RequestTarget) {
        guard let first = target.segments.first?.value, !first.isEmpty else {
            self.init(target.segments.count > 1 ? "unknown" : "root")
            return
        }
        guard first.utf8.first != UInt8(ascii: "_") else {
            let route = ServerRoute(rawValue: first)
            self.init(route != nil && (target.segments.count == 1 || route == .page) ? first : "unknown")
            return
        }
        guard let second = target.segments.dropFirst().first?.value else {
            self.init(first == ServerRoute.metrics.rawValue && !target.hasTrailingSlash ? first : "database")
            return
        }
        guard second.utf8.first == UInt8(ascii: "_") else {
            self.init(target.segments.count == 2 ? "document" : "attachment")
            return
        }
        self.init(Self.names.contains(second) ? second : "unknown")
    }

    /// The path segments after a database's name that occur in a route table.
    private static let names: Set<String> = {
        var names: Set<String> = ["_blipsync", "_local", "_design"]
        for case .endpoint(let name) in LegacyRoute.table.map(\.pattern) { names.insert(name) }
        for case .exactly(let name)? in AdminRoute.table.map(\.path.first) + DatabaseRoute.table.map(\.path.first) { names.insert(name) }
        return names.union(TokenEndpoint.allCases.map(\.rawValue))
    }()
}
