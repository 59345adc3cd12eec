import Synchronization

/// Tells running requests that the server wants to stop.
///
/// Long-lived work, a changes feed for example, runs inside ``during(_:onBegin:)`` and is told to end when the shutdown begins; what
/// can finish soon takes no notice and finishes.
public final class ShutdownSignal: Sendable {
    private struct State {
        var hasBegun = false
        var nextTicket = 0
        var observers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// The signals that it follows, by its ticket with each.
    private let followed: Mutex<[(signal: ShutdownSignal, ticket: Int)]> = Mutex([])

    public init() {}

    /// A signal of its own that begins with the first of others.
    public convenience init(following signals: [ShutdownSignal]) {
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
    public var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Begins the shutdown; a second call does nothing.
    public func begin() {
        let observers = state.withLock { state in
            state.hasBegun = true
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer() }
    }

    /// Runs `operation`, and calls `observer` when the shutdown begins meanwhile; at once if it has begun.
    public func during<Value>(
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
