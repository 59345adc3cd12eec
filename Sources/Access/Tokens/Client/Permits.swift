import Synchronization

/// Lets so many pieces of work run at once, lets so many more wait, and turns the rest away.
final class Permits: Sendable {
    private struct State {
        var free: Int
        var nextID: UInt64 = 0
        var waiting: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Mutex<State>
    private let maximumWaiting: Int

    init(count: Int, waiting: Int) {
        state = Mutex(State(free: count))
        maximumWaiting = waiting
    }

    /// Does work as soon as it may; `nil` if too many wait already, or if the task was cancelled while it waited.
    func run<Value: Sendable>(_ work: () async throws -> Value) async rethrows -> Value? {
        guard await take() else { return nil }
        defer { give() }
        return try await work()
    }

    private func take() async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDecided: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    guard state.waiting.count < maximumWaiting else { return false }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let isDecided { continuation.resume(returning: isDecided) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    private func give() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
