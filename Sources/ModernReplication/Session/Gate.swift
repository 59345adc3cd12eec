/// Where tasks of one actor wait until something has changed.
///
/// A waiter looks at what it waits for again when it goes on: opening the gate says only that it may have come. The gate belongs to an
/// actor, and nothing of that actor runs between a look and the wait that follows it, so no opening is missed.
final class Gate {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits for the next opening.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation(isolation: isolation) { waiting.append($0) }
    }

    /// Lets everybody go on who waits now.
    func open() {
        guard !waiting.isEmpty else { return }
        let waiting = waiting
        self.waiting = []
        for continuation in waiting {
            continuation.resume()
        }
    }
}
