import HTTPTypes
import Storage
import Synchronization

/// Requests that were answered, by port, class and status, and how long their clients waited for the answer to begin.
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

    /// Counts an answer whose head is about to be sent.
    func count(_ kind: RequestClass, _ port: PortKind, _ status: HTTPResponse.Status, after duration: Duration) {
        let endpoint = Endpoint(kind: kind, port: port)
        state.withLock { state in
            state.counts[Key(endpoint: endpoint, status: status.code), default: 0] += 1
            state.latencies[endpoint, default: LatencyHistogram()].add(duration)
        }
    }
}
