import Coordination

/// Received elements that wait for their single consumer.
///
/// The producer pushes whole batches, so that one read of a socket costs one wake-up. When more than `capacity` bytes are queued, the
/// producer must pause; `onResume` is called once the consumer has emptied the queue.
package final class InboundQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var head = 0
        var size = 0
        var isPaused = false
        var isFinished = false
        var waiter: CheckedContinuation<Void, any Error>?
        var resume: (@Sendable () -> Void)?

        var isEmpty: Bool { head == elements.count }
    }

    private let state = Lock(State())
    private let capacity: Int

    /// - Parameter capacity: The number of bytes beyond which the producer pauses.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Sets the callback that resumes a paused producer.
    package func onResume(_ resume: @escaping @Sendable () -> Void) {
        state.withLock { $0.resume = resume }
    }

    /// Adds a batch of `size` bytes; returns false if the producer must pause.
    package func push(_ batch: [Element], size: Int) -> Bool {
        let (waiter, mayGoOn) = state.withLock { state -> (CheckedContinuation<Void, any Error>?, Bool) in
            guard !state.isFinished else { return (nil, true) }
            state.elements += batch
            state.size += size
            state.isPaused = state.size > capacity
            return (state.waiter.take(), !state.isPaused)
        }
        waiter?.resume()
        return mayGoOn
    }

    /// Ends the queue: the consumer receives the remaining elements, then nil.
    package func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// The next element, or nil at the end.
    ///
    /// - Throws: `CancellationError` if the queue is empty and the task is cancelled.
    package func next() async throws -> Element? {
        try await dequeue { state in
            let element = state.elements[state.head]
            state.head += 1
            return element
        }
    }

    /// All queued elements, at least one, or nil at the end.
    ///
    /// - Throws: `CancellationError` if the queue is empty and the task is cancelled.
    func nextBatch() async throws -> [Element]? {
        try await dequeue { state in
            let batch = state.head == 0 ? state.elements : Array(state.elements[state.head...])
            state.head = state.elements.count
            return batch
        }
    }

    private func dequeue<Taken>(_ extract: (inout State) -> Taken) async throws -> Taken? {
        while true {
            let (taken, isAtEnd, resume) = state.withLock { state -> (Taken?, Bool, (@Sendable () -> Void)?) in
                guard !state.isEmpty else { return (nil, state.isFinished, nil) }
                let taken = extract(&state)
                guard state.isEmpty else { return (taken, false, nil) }
                // The memory goes, too: the connection may be idle from now on.
                state.elements = []
                state.head = 0
                state.size = 0
                let wasPaused = state.isPaused
                state.isPaused = false
                return (taken, false, wasPaused ? state.resume : nil)
            }
            resume?()
            if let taken { return taken }
            if isAtEnd { return nil }
            try await arrival()
        }
    }

    private func arrival() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let displaced: CheckedContinuation<Void, any Error>? = state.withLock { state in
                    guard state.isEmpty, !state.isFinished else { return continuation }
                    defer { state.waiter = continuation }
                    return state.waiter
                }
                // Either this consumer need not wait, or it replaces an earlier one, which then checks the queue again.
                displaced?.resume()
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        state.withLock { $0.waiter.take() }?.resume(throwing: CancellationError())
    }
}
