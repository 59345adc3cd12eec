/// Where tasks of one actor wait until something has changed.
///
/// A waiter looks at what it waits for again when it goes on: opening the gate says only that it may have come. The gate belongs to an
/// actor, and nothing of that actor runs between a look and the wait that follows it, so no opening is missed.
package final class Gate {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Waits for the next opening.
    package func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation(isolation: isolation) { waiting.append($0) }
    }

    /// Lets everybody go on who waits now.
    package func open() {
        guard !waiting.isEmpty else { return }
        let waiting = waiting
        self.waiting = []
        for continuation in waiting {
            continuation.resume()
        }
    }
}

/// Lets a number of tasks of one actor in at a time; the others wait in the order in which they came.
package final class Turnstile {
    private let limit: Int
    private var inside = 0
    private var isOpen = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    package init(limit: Int) {
        self.limit = limit
    }

    /// How many wait.
    package var waiting: Int { queue.count }

    /// Waits for a place, which ``leave()`` has to give back.
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
            // The place goes to the next one.
            queue.removeFirst().resume()
        }
    }

    /// Lets everybody in, now and from now on.
    package func open() {
        isOpen = true
        inside += queue.count
        for continuation in queue {
            continuation.resume()
        }
        queue = []
    }
}
