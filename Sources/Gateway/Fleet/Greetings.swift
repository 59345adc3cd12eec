import Synchronization

/// Which generations of clients have come since the start, to each database. It outlives databases that are configured anew.
public final class Greetings: Sendable {
    private struct Guest: Hashable {
        let database: String
        let generation: Int
    }

    private let known = Mutex<Set<Guest>>([])

    public init() {}

    /// Whether this is the first client of its generation at a database.
    func isFirst(ofGeneration generation: Int, at database: String) -> Bool {
        known.withLock { $0.insert(Guest(database: database, generation: generation)).inserted }
    }
}
