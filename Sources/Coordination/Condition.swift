/// Suspends tasks of one actor until some state has changed.
///
/// A task has to check its condition again after ``wait(isolation:)``: a notification means only that the condition may hold. The object belongs
/// to an actor, and no other code of that actor runs between the check and the wait, so no notification is missed.
///
/// The wait does not end when the waiting task is cancelled. A task that has to notice its cancellation is notified by its canceller.
package final class Condition {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Waits for the next notification.
    package func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation(isolation: isolation) { waiting.append($0) }
    }

    /// Resumes the task that has waited longest.
    package func notifyOne() {
        guard !waiting.isEmpty else { return }
        waiting.removeFirst().resume()
    }

    /// Resumes all waiting tasks, in the order of arrival.
    package func notifyAll() {
        guard !waiting.isEmpty else { return }
        let waiting = waiting
        self.waiting = []
        for continuation in waiting {
            continuation.resume()
        }
    }
}

/// Limits the number of tasks of one actor in a section. Further tasks wait in the order of arrival.
///
/// The wait does not end when the waiting task is cancelled: the task gets its permit in turn, and has to release it.
package final class Semaphore {
    private let limit: Int
    private var permits = 0
    private var isUnlimited = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// - Parameter limit: The maximum number of tasks in the section.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The number of waiting tasks.
    package var waiting: Int { queue.count }

    /// Waits for a permit, which ``release()`` has to return.
    package func acquire(isolation: isolated (any Actor)? = #isolation) async {
        guard permits >= limit, !isUnlimited else {
            permits += 1
            return
        }
        await withCheckedContinuation(isolation: isolation) { queue.append($0) }
    }

    /// Returns a permit.
    package func release() {
        if queue.isEmpty {
            permits -= 1
        } else {
            // The permit passes to the next waiting task.
            queue.removeFirst().resume()
        }
    }

    /// Removes the limit: admits all waiting tasks and all later ones.
    package func removeLimit() {
        isUnlimited = true
        permits += queue.count
        for continuation in queue {
            continuation.resume()
        }
        queue = []
    }
}
