package import Access
package import Gateway
package import HTTP
package import Logging
package import ModernProtocol

/// The passive side of the Couchbase Lite 2.x+ protocol: serves clients that replicate over a WebSocket at `/{db}/_blipsync`.
package struct ModernListener: Sendable {
    private let limits: SessionLimits
    private let logger: Logger

    package init(limits: SessionLimits = SessionLimits(), logger: Logger) {
        self.limits = limits
        self.logger = logger
    }

    /// Chooses the first supported subprotocol in the order of the client's offer, as Sync Gateway does
    /// (docs/protocol/modern-2x.md#upgrade-answer).
    /// - Parameter offer: The values of `Sec-WebSocket-Protocol`, each a comma-separated list.
    /// - Returns: `nil` if no subprotocol is supported: the answer is then 500 with ``refusal``.
    package static func choose(from offer: [String]) -> Subprotocol? {
        for value in offer {
            for name in value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
                if let subprotocol = Subprotocol(rawValue: String(name)) { return subprotocol }
            }
        }
        return nil
    }

    /// Whether a client that uses version 4 also offered an older version. Its database then has revision trees, and it names revisions by
    /// their tree IDs. Couchbase Lite 3.4 makes such an offer to push; clients with versions offer version 4 alone.
    package static func hasRevisionTrees(_ offer: [String]) -> Bool {
        offer.joined(separator: ",").split { $0 == "," || $0 == " " || $0 == "\t" }.contains {
            Subprotocol(rawValue: String($0)).map { !$0.hasVersions } ?? false
        }
    }

    /// Sync Gateway's error text for a client that offers no supported subprotocol; the status is 500
    /// (docs/protocol/modern-2x.md#refused-upgrades).
    package static let refusal =
        "I only speak " + Subprotocol.allCases.reversed().map(\.rawValue).joined(separator: ",") + " protocols"

    /// Serves one connection and returns when it has ended.
    ///
    /// On return the socket is closed or dropped, unless the peer has closed it. To end the connection from this side, cancel the task: the
    /// socket is dropped, so that the client treats the end as a network failure and reconnects.
    ///
    /// - Parameters:
    ///   - principal: The user that authenticated in the handshake.
    ///   - deltas: The counter for delta statistics.
    ///   - origin: The server that may have the client's checkpoint.
    ///   - memory: The account for memory that client data occupies.
    ///   - trace: Makes the spans of messages.
    package func serve(
        _ socket: any MessageSocket, database: Database, principal: Principal, login: LoginProof? = nil, subprotocol: Subprotocol,
        client: ClientDescription = ClientDescription(), deltas: DeltaCounter = DeltaCounter(),
        origin: (any CheckpointOrigin)? = nil, memory: MemoryAccount = MemoryAccount(), trace: ConnectionTrace? = nil
    ) async {
        var logger = logger
        logger[metadataKey: "database"] = "\(database.name)"
        logger[metadataKey: "user"] = "\(principal)"
        logger[metadataKey: "protocol"] = "\(subprotocol.rawValue)"
        if let correlation = client.correlation { logger[metadataKey: "correlation"] = "\(correlation)" }
        let session = ModernSession(
            socket: socket, database: database, principal: principal, login: login, subprotocol: subprotocol, limits: limits,
            deltaCounter: deltas, client: client, origin: origin, memory: memory, trace: trace, logger: logger)
        logger.debug(
            "a client has connected", metadata: ["client": "\(client.userAgent ?? "unknown")", "address": "\(client.address ?? "unknown")"])
        await database.activity.connected(ClientKind(generation: subprotocol.generation, agent: client.userAgent)) { await session.run() }
    }

    /// Serves a connection from within the process, with administrator access.
    package static func serveWithinProcess(
        _ socket: any MessageSocket, _ database: Database, _ subprotocol: Subprotocol, _ limits: SessionLimits, _ logger: Logger
    ) async {
        await ModernListener(limits: limits, logger: logger)
            .serve(socket, database: database, principal: .administrator, subprotocol: subprotocol)
    }
}

/// The client of a connection.
package struct ClientDescription: Sendable, Hashable {
    /// The `User-Agent` of the upgrade request.
    package var userAgent: String?

    /// The peer's network address, for logs.
    package var address: String?

    /// Whether the client's database has revision trees although it uses version 4 of the protocol: see
    /// ``ModernListener/hasRevisionTrees(_:)``.
    package var hasRevisionTrees: Bool

    /// The connection's name from the handshake's response, for the logs of both sides.
    package var correlation: String?

    package init(userAgent: String? = nil, address: String? = nil, correlation: String? = nil, hasRevisionTrees: Bool = false) {
        self.userAgent = userAgent
        self.address = address
        self.correlation = correlation
        self.hasRevisionTrees = hasRevisionTrees
    }
}
