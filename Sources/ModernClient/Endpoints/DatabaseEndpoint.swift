import BLIP
package import Gateway
import HTTP
package import Logging
package import ModernProtocol

/// Another local database, in the same process.
package struct DatabaseEndpoint: ReplicatorEndpoint {
    /// Serves a connection to a database as a listener does, and returns when it has ended: `ModernListener.serveWithinProcess`.
    package typealias Service = @Sendable (any MessageSocket, Database, Subprotocol, SessionLimits, Logger) async -> Void

    package let database: Database
    private let service: Service

    package init(database: Database, service: @escaping Service) {
        self.database = database
        self.service = service
    }

    package var identity: String { "x-db-endpt:///\(database.name)" }

    /// Both ends are in one process, so there is no bandwidth to save; as in Couchbase Lite.
    package var takesDeltas: Bool { false }

    package func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection {
        let subprotocol = options.subprotocols.first ?? .v3
        let (client, server) = WebSocketPair.make(subprotocol: subprotocol.rawValue)
        var limits = SessionLimits()
        // There is no bandwidth to save.
        limits.compression = .off
        let (service, database, logger) = (service, database, options.logger)
        Task { [limits] in await service(WebSocketMessages(server, of: .replicator), database, subprotocol, limits, logger) }
        return ReplicatorConnection(socket: WebSocketMessages(client, of: .replicator), subprotocol: subprotocol) {
            client.closure.map { (Int($0.code.rawValue), $0.reason) }
        }
    }
}
