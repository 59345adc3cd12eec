import Logging
import Synchronization

/// Which generations of clients have come since the start, to each database. It outlives databases that are configured anew.
public final class FirstClients: Sendable {
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

extension Database {
    /// Says in the log that a client of its generation has come for the first time since the start.
    ///
    /// - Parameter client: who asks for its checkpoint, which all clients do first.
    public func logFirstClient(_ client: ClientKind) {
        guard client.generation > 0, firstClients.isFirst(ofGeneration: client.generation, at: name) else { return }
        logger.info(
            "the first client of its generation since the start",
            metadata: ["generation": "\(client.generation)", "client": "\(client.agent)"])
    }
}
