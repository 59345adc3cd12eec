import Synchronization

/// How many clients came with a place in another server's feed that could not be translated.
final class PlaceCount: Sendable {
    private let count = Mutex(0)

    /// Adds one; the sum so far.
    func add() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
