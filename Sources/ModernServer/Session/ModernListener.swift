package import Access
package import Gateway
package import HTTP
package import Logging
package import ModernProtocol

/// The passive side of the Couchbase Lite 2.x+ protocol: answers clients that replicate over a WebSocket at `/{db}/_blipsync`.
package struct ModernListener: Sendable {
    private let limits: SessionLimits
    private let logger: Logger

    package init(limits: SessionLimits = SessionLimits(), logger: Logger) {
        self.limits = limits
        self.logger = logger
    }

    /// The first subprotocol that we speak, in the order of the client's offer, as Sync Gateway chooses
    /// (docs/protocol/modern-2x.md#upgrade-answer).
    ///
    /// - Parameter offer: The values of `Sec-WebSocket-Protocol`, each a list with commas.
    /// - Returns: `nil` if there is none: answer 500 with ``refusal``.
    package static func choose(from offer: [String]) -> Subprotocol? {
        for value in offer {
            for name in value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
                if let subprotocol = Subprotocol(rawValue: String(name)) { return subprotocol }
            }
        }
        return nil
    }

    /// Whether a client that was answered version 4 could have spoken an older one: then its database has revision trees, and it names
    /// revisions by their IDs there. Couchbase Lite 3.4 does so to push; those with versions offer version 4 alone.
    package static func hasRevisionTrees(_ offer: [String]) -> Bool {
        offer.joined(separator: ",").split { $0 == "," || $0 == " " || $0 == "\t" }.contains {
            Subprotocol(rawValue: String($0)).map { !$0.hasVersions } ?? false
        }
    }

    /// Sync Gateway's answer to a client with which it has no subprotocol in common; the status is 500
    /// (docs/protocol/modern-2x.md#refused-upgrades).
    package static let refusal =
        "I only speak " + Subprotocol.allCases.reversed().map(\.rawValue).joined(separator: ",") + " protocols"

    /// Serves one connection and returns when it has ended.
    ///
    /// - Parameters:
    ///   - principal: who has logged in with the handshake.
    ///   - deltas: where what delta sync does is counted.
    ///   - memory: on what the client's data draws.
    ///
    /// The socket is closed or dropped by then, unless the peer has closed it. To end the connection from here, cancel the task: the
    /// socket is dropped, so that the client takes the end for a network failure and comes back.
    package func serve(
        _ socket: any MessageSocket, database: Database, principal: Principal, login: LoginProof? = nil, subprotocol: Subprotocol,
        client: ClientDescription = ClientDescription(), deltas: DeltaCounter = DeltaCounter(), memory: MemoryAccount = MemoryAccount()
    ) async {
        var logger = logger
        logger[metadataKey: "database"] = "\(database.name)"
        logger[metadataKey: "user"] = "\(principal)"
        logger[metadataKey: "protocol"] = "\(subprotocol.rawValue)"
        if let correlation = client.correlation { logger[metadataKey: "correlation"] = "\(correlation)" }
        let session = ModernSession(
            socket: socket, database: database, principal: principal, login: login, subprotocol: subprotocol, limits: limits,
            deltaCounter: deltas, client: client, memory: memory, logger: logger)
        logger.debug(
            "a client has connected", metadata: ["client": "\(client.userAgent ?? "unknown")", "address": "\(client.address ?? "unknown")"])
        await database.activity.connected(ClientKind(generation: subprotocol.generation, agent: client.userAgent)) { await session.run() }
    }

    /// Serves a connection from within the process, to which everything is open.
    package static func serveWithinProcess(
        _ socket: any MessageSocket, _ database: Database, _ subprotocol: Subprotocol, _ limits: SessionLimits, _ logger: Logger
    ) async {
        await ModernListener(limits: limits, logger: logger)
            .serve(socket, database: database, principal: .administrator, subprotocol: subprotocol)
    }
}

/// Who is at the other end of a connection.
package struct ClientDescription: Sendable, Hashable {
    /// The `User-Agent` of the upgrade request.
    package var userAgent: String?

    /// The peer's network address, for logs.
    package var address: String?

    /// Whether its database has revision trees although it speaks version 4 of the protocol: see ``ModernListener/hasRevisionTrees(_:)``.
    package var hasRevisionTrees: Bool

    /// What the handshake's answer called the connection, for the logs of both sides.
    package var correlation: String?

    package init(userAgent: String? = nil, address: String? = nil, correlation: String? = nil, hasRevisionTrees: Bool = false) {
        self.userAgent = userAgent
        self.address = address
        self.correlation = correlation
        self.hasRevisionTrees = hasRevisionTrees
    }
}
