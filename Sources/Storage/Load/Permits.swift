import Coordination

/// Limits the number of concurrent operations and of waiting ones, and rejects further ones. Clients with waiting operations take turns.
package final class Permits: Sendable {
    private struct Waiter: Identifiable, Sendable {
        let id: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var nextID: UInt64 = 0
        var waiting = TurnQueue<Waiter>()
    }

    private let state: Lock<State>
    private let maximumWaiting: Int

    /// - Parameters:
    ///   - count: The maximum number of concurrent operations.
    ///   - waiting: The maximum number of waiting operations.
    package init(count: Int, waiting: Int = .max) {
        state = Lock(State(free: count))
        maximumWaiting = waiting
    }

    /// The number of waiting operations.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs `work` when a permit is free; `nil` if the queue is full, or if the task was cancelled while it waited.
    package func run<Value: Sendable>(as client: Grantee? = nil, _ work: () async throws -> Value) async rethrows -> Value? {
        guard await acquire(client) else { return nil }
        defer { release() }
        return try await work()
    }

    private func acquire(_ client: Grantee?) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDecided: Bool? = state.withLock { state in
                    // A cancellation after this check finds the waiter, because it needs the lock.
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    guard state.waiting.count < maximumWaiting else { return false }
                    state.waiting.append(Waiter(id: id, continuation: continuation), of: client)
                    return nil
                }
                if let isDecided { continuation.resume(returning: isDecided) }
            }
        } onCancel: {
            state.withLock { $0.waiting.remove(id, of: client) }?.continuation.resume(returning: false)
        }
    }

    private func release() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
