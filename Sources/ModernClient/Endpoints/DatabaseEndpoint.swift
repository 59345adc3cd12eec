import BLIP
public import Gateway
import HTTP
public import Logging
public import ModernProtocol

/// Another database of ours, in the same process.
public struct DatabaseEndpoint: ReplicatorEndpoint {
    /// Serves a connection to a database as a listener does, and returns when it has ended: `ModernListener.serveWithinProcess`.
    public typealias Service = @Sendable (any MessageSocket, Database, Subprotocol, SessionLimits, Logger) async -> Void

    public let database: Database
    private let service: Service

    public init(database: Database, service: @escaping Service) {
        self.database = database
        self.service = service
    }

    public var identity: String { "x-db-endpt:///\(database.name)" }

    /// Both ends are in one process: there is no line to spare, as in Couchbase Lite.
    public var takesDeltas: Bool { false }

    public func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection {
        let subprotocol = options.subprotocols.first ?? .v3
        let (client, server) = WebSocketPair.make(subprotocol: subprotocol.rawValue)
        var limits = SessionLimits()
        // There is no line to spare.
        limits.compression = .off
        let (service, database, logger) = (service, database, options.logger)
        Task { [limits] in await service(WebSocketMessages(server), database, subprotocol, limits, logger) }
        return ReplicatorConnection(socket: WebSocketMessages(client), subprotocol: subprotocol) {
            client.closure.map { (Int($0.code.rawValue), $0.reason) }
        }
    }
}
