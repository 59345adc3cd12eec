/// Requests the end of operations. It is raised once and stays raised.
///
/// A long operation runs inside ``during(_:onRaise:)`` or ``interrupting(_:)``. A short one ignores the signal and finishes. The signal is
/// independent of the cancellation of tasks.
package final class StopSignal: Sendable {
    private struct State {
        var isRaised = false
        var nextTicket = 0
        var observers: [Int: @Sendable () -> Void] = [:]

        /// The signals that this one follows, each with the ticket of the observation.
        var followed: [(signal: StopSignal, ticket: Int)] = []
    }

    private let state = Lock(State())

    package init() {}

    /// Creates a signal that is raised with the first of the given ones. It may be raised by itself.
    package convenience init(following signals: [StopSignal]) {
        self.init()
        // Observing calls the observer, which needs the lock, if a signal is raised already.
        let followed = signals.map { ($0, $0.observe { [weak self] in self?.raise() }) }
        state.withLock { $0.followed = followed }
    }

    deinit {
        for (signal, ticket) in state.withLock({ $0.followed }) { signal.ignore(ticket) }
    }

    /// Whether the end was requested.
    package var isRaised: Bool { state.withLock { $0.isRaised } }

    /// Requests the end; a second call does nothing. Calls the observers synchronously, so the caller must not hold a lock that they need.
    package func raise() {
        let observers = state.withLock { state in
            state.isRaised = true
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer() }
    }

    /// Runs `operation`. Calls `observer` if the signal is raised in the meantime, or immediately if it was raised before.
    package func during<Value>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Value,
        onRaise observer: @escaping @Sendable () -> Void
    ) async rethrows -> Value {
        let ticket = observe(observer)
        defer { ignore(ticket) }
        return try await operation()
    }

    /// Runs an operation that is cancelled when the signal is raised or the task is cancelled.
    ///
    /// - Throws: The operation's errors; `CancellationError` for each of them once the signal is raised.
    package func interrupting<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await operation() }
        do {
            return try await during {
                try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
            } onRaise: {
                task.cancel()
            }
        } catch  where isRaised {
            throw CancellationError()
        }
    }

    private func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
        let (ticket, isRaised) = state.withLock { state in
            state.nextTicket += 1
            if !state.isRaised { state.observers[state.nextTicket] = observer }
            return (state.nextTicket, state.isRaised)
        }
        if isRaised { observer() }
        return ticket
    }

    private func ignore(_ ticket: Int) {
        state.withLock { state in _ = state.observers.removeValue(forKey: ticket) }
    }
}
