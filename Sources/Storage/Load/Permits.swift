import Synchronization

/// Lets so many pieces of work run at once, lets so many more wait, and turns the rest away. Clients whose work waits take turns.
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

    private let state: Mutex<State>
    private let maximumWaiting: Int

    /// - Parameters:
    ///   - count: how many pieces of work run at once.
    ///   - waiting: how many more may wait.
    package init(count: Int, waiting: Int = .max) {
        state = Mutex(State(free: count))
        maximumWaiting = waiting
    }

    /// How many wait.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    /// Does work as soon as it may; `nil` if too many wait already, or if the task was cancelled while it waited.
    package func run<Value: Sendable>(as client: Grantee? = nil, _ work: () async throws -> Value) async rethrows -> Value? {
        guard await take(client) else { return nil }
        defer { give() }
        return try await work()
    }

    private func take(_ client: Grantee?) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDecided: Bool? = state.withLock { state in
                    // A cancellation from here on finds the waiter, because it needs the lock.
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

    private func give() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
