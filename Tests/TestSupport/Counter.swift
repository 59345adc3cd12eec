import Synchronization

/// A number that several tasks add to.
package final class Counter: Sendable {
    private let number = Atomic(0)

    package init() {}

    package var value: Int { number.load(ordering: .relaxed) }

    package func add(_ count: Int) { number.add(count, ordering: .relaxed) }

    /// Returns when the number has grown and then stayed the same for many turns of the scheduler.
    package func waitUntilStable() async {
        var last = -1
        var same = 0
        while same < 2_000 || last <= 0, !Task.isCancelled {
            await Task.yield()
            same = value == last ? same + 1 : 0
            last = value
        }
    }
}
