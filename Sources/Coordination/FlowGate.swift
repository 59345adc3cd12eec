/// A gate that tasks pass while it is open and wait at while it is closed.
///
/// It applies backpressure, or a pause, to work that another side controls. Waiting tasks pass in the order of arrival. A gate is open at first.
package final class FlowGate: Sendable {
    private struct Waiter: Sendable {
        let ticket: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var isOpen = true
        var failure: (any Error)?
        var nextTicket = 0
        var waiters: [Waiter] = []
    }

    private let state = Lock(State())

    package init() {}

    /// Whether callers have to wait. A failed gate is not closed.
    package var isClosed: Bool { state.withLock { !$0.isOpen && $0.failure == nil } }

    /// Whether ``fail(_:)`` was called.
    package var hasFailed: Bool { state.withLock { $0.failure != nil } }

    /// Returns immediately if the gate is open, otherwise once it opens.
    ///
    /// - Throws: The error of ``fail(_:)``, or `CancellationError` if the task is cancelled before or while it waits. An open gate lets a
    ///   cancelled task pass.
    package func pass() async throws {
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
                    // A cancellation after this check finds the waiter, because it needs the lock.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters.append(Waiter(ticket: ticket, continuation: continuation))
                    return nil
                }
                if let decided { continuation.resume(with: decided) }
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Opens the gate: current and later callers pass.
    package func open() {
        release(with: .success(())) { $0.isOpen = true }
    }

    /// Closes the gate: later callers wait.
    package func close() {
        state.withLock { $0.isOpen = false }
    }

    /// Fails the gate permanently: current and later callers receive the error. The first error counts for later callers.
    package func fail(_ error: any Error) {
        release(with: .failure(error)) { state in
            if state.failure == nil { state.failure = error }
        }
    }

    private func release(with result: Result<Void, any Error>, _ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(with: result) }
    }

    private func cancel(_ ticket: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }
}
