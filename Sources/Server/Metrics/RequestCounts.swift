import HTTPTypes
import Synchronization

/// Requests that were answered, by port, class and status.
final class RequestCounts: Sendable {
    struct Key: Hashable, Sendable {
        let kind: RequestClass
        let port: PortKind
        let status: Int
    }

    private let counts = Mutex<[Key: Int]>([:])

    var all: [Key: Int] { counts.withLock { $0 } }

    /// Counts an answer whose head is about to be sent.
    func count(_ kind: RequestClass, _ port: PortKind, _ status: HTTPResponse.Status) {
        let key = Key(kind: kind, port: port, status: status.code)
        counts.withLock { $0[key, default: 0] += 1 }
    }
}
