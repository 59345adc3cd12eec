import Synchronization

/// Tells a run to come to its end: what is under way is finished, and nothing new is begun.
final class StopSignal: Sendable {
    private struct State {
        var isRaised = false
        var next = 0
        var handlers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    var isRaised: Bool { state.withLock { $0.isRaised } }

    /// Calls handlers, and so must not be called with a lock held that they need.
    func raise() {
        let handlers = state.withLock { state in
            state.isRaised = true
            defer { state.handlers = [:] }
            return state.handlers.values
        }
        for handler in handlers { handler() }
    }

    /// Does something that is given up when the signal is raised.
    ///
    /// - Throws: What the operation throws; `CancellationError` if it was given up.
    func interrupting<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await operation() }
        let number = onRaise { task.cancel() }
        defer { forget(number) }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch  where isRaised {
            throw CancellationError()
        }
    }

    /// - Returns: What the handler is forgotten by.
    private func onRaise(_ handler: @escaping @Sendable () -> Void) -> Int {
        let (number, isRaised) = state.withLock { state in
            state.next += 1
            if !state.isRaised { state.handlers[state.next] = handler }
            return (state.next, state.isRaised)
        }
        if isRaised { handler() }
        return number
    }

    private func forget(_ number: Int) {
        state.withLock { _ = $0.handlers.removeValue(forKey: number) }
    }
}
