import Access
import Coordination
import Dispatch

/// Threads for password checks, so that no event loop and no thread of Swift's pool blocks for a tenth of a second.
final class PasswordQueue: Sendable {
    private struct State {
        var pending = 0
        var next = 0
    }

    private let queues: [DispatchQueue]
    private let limit: Int
    private let state = Lock(State())

    /// - Parameters:
    ///   - width: The number of concurrent checks.
    ///   - limit: The maximum number of running and waiting checks.
    init(width: Int, limit: Int) {
        queues = (0..<max(1, width)).map { DispatchQueue(label: "dualgauge.passwords.\($0)", qos: .utility) }
        self.limit = limit
    }

    /// Runs `work` on a thread of the queue.
    ///
    /// - Parameter key: Work with the same key runs serially. Work without a key runs on the next thread.
    /// - Throws: ``AccessError`` `busy` if the queue is full; errors of `work`.
    func run<Value: Sendable>(by key: [UInt8]? = nil, _ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let queue: DispatchQueue? = state.withLock { state in
            guard state.pending < limit else { return nil }
            state.pending += 1
            if let key { return queues[key.reduce(0) { ($0 + Int($1)) % queues.count }] }
            state.next = (state.next + 1) % queues.count
            return queues[state.next]
        }
        guard let queue else { throw AccessError(.busy, "Too many logins at once: try again", retryAfter: 2) }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                let result = Result { try work() }
                state.withLock { $0.pending -= 1 }
                continuation.resume(with: result)
            }
        }
    }
}
