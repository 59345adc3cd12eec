/// Lets a number of tasks of one actor in at a time; the others wait in the order in which they came.
final class Turnstile {
    private let limit: Int
    private var inside = 0
    private var isOpen = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// How many wait.
    var waiting: Int { queue.count }

    /// Waits for a place, which ``leave()`` has to give back.
    func enter(isolation: isolated (any Actor)? = #isolation) async {
        guard inside >= limit, !isOpen else {
            inside += 1
            return
        }
        await withCheckedContinuation(isolation: isolation) { queue.append($0) }
    }

    func leave() {
        if queue.isEmpty {
            inside -= 1
        } else {
            // The place goes to the next one.
            queue.removeFirst().resume()
        }
    }

    /// Lets everybody in, now and from now on.
    func open() {
        isOpen = true
        inside += queue.count
        for continuation in queue {
            continuation.resume()
        }
        queue = []
    }
}
