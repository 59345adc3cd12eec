import Access
import Authentication
import BridgeConfiguration
import Coordination
import LegacyClient
import Logging
import ReplicationService

/// Reads the roles of the old server's users with the credentials of the replication, because a user's own session does not show them.
///
/// Sync Gateway shows them on its admin port only. If the replication connects to another port, the first lookup detects and logs that.
final class UpstreamMemberships: Sendable {
    /// How long a server that does not show roles is not asked again.
    private static let retryInterval: Duration = .seconds(600)

    private let definition: ReplicationDefinition
    private let logger: Logger
    private let unavailableSince = Lock<ContinuousClock.Instant?>(nil)

    init(_ definition: ReplicationDefinition, logger: Logger) {
        self.definition = definition
        self.logger = logger
    }

    var source: UpstreamMembership.Source {
        { (user: String) async throws(LoginError) -> UpstreamMembership? in try await self.membership(of: user) }
    }

    /// - Returns: `nil` if the server does not show roles.
    /// - Throws: `LoginError` `unavailable` if the server cannot be reached at the moment.
    func membership(of user: String) async throws(LoginError) -> UpstreamMembership? {
        let now = ContinuousClock.now
        if let since = unavailableSince.withLock({ $0 }), now - since < Self.retryInterval { return nil }
        do {
            if let answer = try await ReplicationBuilder.account(user, at: definition), let found = UpstreamMembership(answer, of: user) {
                return found
            }
        } catch let error as ReplicationError where error.isTransient {
            throw LoginError(.unavailable, "The roles cannot be read from the legacy upstream; try again later", cause: error)
        } catch {
            // Errors of the replication itself are part of its status.
        }
        unavailableSince.withLock { $0 = now }
        logger.notice(
            """
            the old server does not list the roles of its users for the replication's login, so its users have only their own channels, \
            and not the channels of their roles. Set the replication's `remote` to the old server's admin port, or list the users with \
                    their roles under `users`
            """)
        return nil
    }
}

extension LegacyUpstream {
    /// The lookup of its users' roles; `nil` if no replication connects to this server.
    func memberships(logger: Logger) -> UpstreamMemberships? {
        guard let replication, isServer(of: replication) else { return nil }
        return UpstreamMemberships(replication, logger: logger)
    }
}
