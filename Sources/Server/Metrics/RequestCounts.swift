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
