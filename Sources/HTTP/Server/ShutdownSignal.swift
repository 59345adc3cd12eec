import Synchronization

/// Signals to running requests that the server is stopping.
///
/// Long-lived operations, for example a changes feed, run inside ``during(_:onBegin:)`` and are notified when the shutdown begins. Short
/// operations ignore the signal and finish.
package final class ShutdownSignal: Sendable {
    private struct State {
        var hasBegun = false
        var nextTicket = 0
        var observers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// The signals that this one follows, each with the ticket of the observation.
    private let followed: Mutex<[(signal: ShutdownSignal, ticket: Int)]> = Mutex([])

    package init() {}

    /// Creates a signal that begins with the first of the given ones.
    package convenience init(following signals: [ShutdownSignal]) {
        self.init()
        followed.withLock { followed in
            for signal in signals {
                followed.append((signal, signal.observe { [weak self] in self?.begin() }))
            }
        }
    }

    deinit {
        for (signal, ticket) in followed.withLock({ $0 }) { signal.ignore(ticket) }
    }

    /// Whether the shutdown has begun.
    package var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Begins the shutdown; a second call does nothing.
    package func begin() {
        let observers = state.withLock { state in
            state.hasBegun = true
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer() }
    }

    /// Runs `operation`. Calls `observer` if the shutdown begins in the meantime, or immediately if it has begun.
    package func during<Value>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Value,
        onBegin observer: @escaping @Sendable () -> Void
    ) async rethrows -> Value {
        let ticket = observe(observer)
        defer { ignore(ticket) }
        return try await operation()
    }

    private func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
        let (ticket, hasBegun) = state.withLock { state in
            state.nextTicket += 1
            if !state.hasBegun { state.observers[state.nextTicket] = observer }
            return (state.nextTicket, state.hasBegun)
        }
        if hasBegun { observer() }
        return ticket
    }

    private func ignore(_ ticket: Int) {
        state.withLock { state in _ = state.observers.removeValue(forKey: ticket) }
    }
}
