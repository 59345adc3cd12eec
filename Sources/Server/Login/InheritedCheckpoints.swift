import Authentication
import Cutover
import Gateway
import HTTPTypes
import LegacyProtocol
import LegacyServer
import Logging
import ModernServer
import Storage

/// The checkpoints that a 2.x client may have left at the old server, before it was moved to this one.
struct InheritedCheckpoints: CheckpointOrigin {
    private let upstream: UpstreamCheckpoints
    private let running: RunningDatabase
    private let credentials: UpstreamLogin.Credentials?
    private let limits: LegacyLimits
    private let logger: Logger

    /// The bridges that the handshake has passed. A connection's messages are processed outside its handshake.
    private let trail = ViaHeader.current

    /// - Parameter headers: The client's handshake, with its credentials. They are valid at the old server, too.
    /// - Returns: `nil` without an old server.
    init?(_ upstream: UpstreamCheckpoints?, of running: RunningDatabase, headers: HTTPFields, limits: LegacyLimits, logger: Logger) {
        guard let upstream else { return nil }
        self.upstream = upstream
        self.running = running
        credentials = InheritedDocument.credentials(in: headers, upstream)
        self.limits = limits
        self.logger = logger
    }

    func checkpoint(_ id: String, in keyspace: Keyspace, replacing stored: LocalDocument?) async throws -> LocalDocument? {
        // The stage may have changed since the handshake. Where the old server's numbers may be ours, too, a position would not show whose it is.
        guard keyspace.scope == .unified, running.stage?.inheritsCheckpoints != false, try await !keyspace.ownSequences().isDoubtful else {
            return stored
        }
        let document = InheritedDocument(
            .checkpoint, id: id, in: keyspace, from: upstream, with: credentials, limits: limits, logger: logger)
        return try await ViaHeader.$current.withValue(trail) { try await document.resolved(stored) }
    }
}
