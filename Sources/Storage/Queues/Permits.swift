import DequeModule
import Synchronization

/// Lets so many pieces of work run at once, lets so many more wait in the order in which they came, and turns the rest away.
package final class Permits: Sendable {
    private struct State {
        var free: Int
        var nextID: UInt64 = 0

        /// Those that wait, the next one first, and those that have waited and were cancelled.
        var order: Deque<UInt64> = []
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
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

    /// Does work as soon as it may; `nil` if too many wait already, or if the task was cancelled while it waited.
    package func run<Value: Sendable>(_ work: () async throws -> Value) async rethrows -> Value? {
        guard await take() else { return nil }
        defer { give() }
        return try await work()
    }

    private func take() async -> Bool {
        let id: UInt64? = state.withLock { state in
            guard state.free == 0 || Task.isCancelled else {
                state.free -= 1
                return nil
            }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDecided: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    guard state.waiting.count < maximumWaiting else { return false }
                    state.order.append(id)
                    state.waiting[id] = continuation
                    return nil
                }
                if let isDecided { continuation.resume(returning: isDecided) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
        }
    }

    private func give() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            while let id = state.order.popFirst() {
                if let continuation = state.waiting.removeValue(forKey: id) { return continuation }
            }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
