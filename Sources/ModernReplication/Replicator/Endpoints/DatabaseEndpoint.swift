import Access
import BLIP
public import Gateway
import HTTP

/// Another database of ours, in the same process.
public struct DatabaseEndpoint: ReplicatorEndpoint {
    public let database: Database

    public init(database: Database) {
        self.database = database
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
        let listener = ModernListener(limits: limits, logger: options.logger)
        let database = database
        Task { await listener.serve(WebSocketMessages(server), database: database, principal: .administrator, subprotocol: subprotocol) }
        return ReplicatorConnection(socket: WebSocketMessages(client), subprotocol: subprotocol) {
            client.closure.map { (Int($0.code.rawValue), $0.reason) }
        }
    }
}
