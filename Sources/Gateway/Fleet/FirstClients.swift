import Coordination
import Logging

/// The generations of clients that have connected to each database since the start. It outlives a database's reconfiguration.
package final class FirstClients: Sendable {
    private struct Guest: Hashable {
        let database: String
        let generation: Int
    }

    private let known = Lock<Set<Guest>>([])

    package init() {}

    /// Whether this is the first client of its generation at a database.
    func isFirst(ofGeneration generation: Int, at database: String) -> Bool {
        known.withLock { $0.insert(Guest(database: database, generation: generation)).inserted }
    }
}

extension Database {
    /// Logs the first client of its generation since the start.
    ///
    /// - Parameter client: a client that requests its checkpoint, which is every client's first request.
    package func logFirstClient(_ client: ClientKind) {
        guard client.generation > 0, firstClients.isFirst(ofGeneration: client.generation, at: name) else { return }
        logger.info(
            "the first client of its generation since the start",
            metadata: ["generation": "\(client.generation)", "client": "\(client.agent)"])
    }
}
