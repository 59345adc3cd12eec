/// Suspends tasks of one actor until some state has changed.
///
/// A task has to check its condition again after ``wait(isolation:)``: opening the gate means only that the condition may hold. The gate
/// belongs to an actor, and no other code of that actor runs between the check and the wait, so no opening is missed.
package final class Gate {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Waits for the next opening.
    package func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation(isolation: isolation) { waiting.append($0) }
    }

    /// Resumes all tasks that are waiting.
    package func open() {
        guard !waiting.isEmpty else { return }
        let waiting = waiting
        self.waiting = []
        for continuation in waiting {
            continuation.resume()
        }
    }
}

/// Limits the number of tasks of one actor in a section. Further tasks wait in the order of arrival.
package final class Turnstile {
    private let limit: Int
    private var inside = 0
    private var isOpen = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    package init(limit: Int) {
        self.limit = limit
    }

    /// The number of waiting tasks.
    package var waiting: Int { queue.count }

    /// Waits for a slot, which ``leave()`` has to release.
    package func enter(isolation: isolated (any Actor)? = #isolation) async {
        guard inside >= limit, !isOpen else {
            inside += 1
            return
        }
        await withCheckedContinuation(isolation: isolation) { queue.append($0) }
    }

    package func leave() {
        if queue.isEmpty {
            inside -= 1
        } else {
            // The slot passes to the next waiting task.
            queue.removeFirst().resume()
        }
    }

    /// Removes the limit: admits all waiting tasks and all later ones.
    package func open() {
        isOpen = true
        inside += queue.count
        for continuation in queue {
            continuation.resume()
        }
        queue = []
    }
}
