import Dispatch
import Synchronization

/// A few threads that check passwords, so that no event loop and no thread of Swift's pool is held for a tenth of a second.
final class PasswordQueue: Sendable {
    private struct State {
        var pending = 0
        var next = 0
    }

    private let queues: [DispatchQueue]
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - width: how many passwords are checked at a time.
    ///   - limit: how many may be waiting or being checked.
    init(width: Int, limit: Int) {
        queues = (0..<max(1, width)).map { DispatchQueue(label: "dualgauge.passwords.\($0)", qos: .utility) }
        self.limit = limit
    }

    /// Runs `work` when its turn comes.
    ///
    /// - Throws: ``AccessError`` `busy` if too many wait already; else what `work` throws.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let queue: DispatchQueue? = state.withLock { state in
            guard state.pending < limit else { return nil }
            state.pending += 1
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
