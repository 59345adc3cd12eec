import Synchronization

/// A gate that writers pass while it is open and wait at while it is closed.
///
/// It applies the backpressure of a slow reader to writers: the reader's side opens and closes it, and any number of writers pass or wait.
final class Gate: Sendable {
    private struct State {
        var isOpen = true
        var failure: (any Error)?
        var nextTicket = 0
        var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = Mutex(State())

    /// Returns immediately if the gate is open, otherwise once it opens.
    ///
    /// - Throws: The error of ``fail(_:)``, or `CancellationError` if the task is cancelled while it waits.
    func pass() async throws {
        let ticket: Int? = try state.withLock { state in
            if let failure = state.failure { throw failure }
            guard !state.isOpen else { return nil }
            state.nextTicket += 1
            return state.nextTicket
        }
        guard let ticket else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let decided: Result<Void, any Error>? = state.withLock { state in
                    if let failure = state.failure { return .failure(failure) }
                    if state.isOpen { return .success(()) }
                    state.waiters[ticket] = continuation
                    return nil
                }
                if let decided {
                    continuation.resume(with: decided)
                } else if Task.isCancelled {
                    // The cancellation handler may have run before the waiter was registered.
                    cancel(ticket)
                }
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Opens the gate: current and later callers pass.
    func open() {
        release(with: .success(())) { $0.isOpen = true }
    }

    /// Closes the gate: later callers wait.
    func close() {
        state.withLock { $0.isOpen = false }
    }

    /// Fails the gate permanently: current and later callers receive the error.
    func fail(_ error: any Error) {
        release(with: .failure(error)) { state in
            if state.failure == nil { state.failure = error }
        }
    }

    private func release(with result: Result<Void, any Error>, _ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values {
            waiter.resume(with: result)
        }
    }

    private func cancel(_ ticket: Int) {
        state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(throwing: CancellationError())
    }
}
