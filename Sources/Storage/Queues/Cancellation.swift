import Synchronization

/// Tells work on a thread of its own that the task which waits for it was cancelled.
final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }
}
