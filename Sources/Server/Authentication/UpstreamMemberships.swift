import Access
import BridgeConfiguration
import LegacyClient
import Logging
import ReplicationService
import Synchronization

/// Asks the old server for the roles of its users, by the login of the replication: a user's own session does not tell them.
///
/// A Sync Gateway tells them on its admin port alone. Where the replication reaches another port, that is found out with the first user and said in the log.
final class UpstreamMemberships: Sendable {
    /// For how long a server that does not tell is not asked again.
    private static let rest: Duration = .seconds(600)

    private let definition: ReplicationDefinition
    private let logger: Logger
    private let silentSince = Mutex<ContinuousClock.Instant?>(nil)

    init(_ definition: ReplicationDefinition, logger: Logger) {
        self.definition = definition
        self.logger = logger
    }

    var source: UpstreamMembership.Source {
        { (user: String) async throws(LoginError) -> UpstreamMembership? in try await self.membership(of: user) }
    }

    /// - Returns: `nil` where the server does not tell.
    /// - Throws: `LoginError` `unavailable` if it cannot be asked just now.
    func membership(of user: String) async throws(LoginError) -> UpstreamMembership? {
        let now = ContinuousClock.now
        if let silent = silentSince.withLock({ $0 }), now - silent < Self.rest { return nil }
        do {
            if let answer = try await ReplicationBuilder.account(user, at: definition), let found = UpstreamMembership(answer, of: user) {
                return found
            }
        } catch let error as ReplicationError where error.isTransient {
            throw LoginError(.unavailable, "The legacy upstream cannot be asked for roles; try again later", cause: error)
        } catch {
            // What is wrong with the replication itself is told by its status.
        }
        silentSince.withLock { $0 = now }
        logger.notice(
            """
            the old server does not tell the roles of its users to this login: users whom it brings have here the channels of their own alone. \
            Let the replication's `remote` be its admin port, or name the users with their roles under `users`
            """)
        return nil
    }
}

extension LegacyUpstream {
    /// Who is asked for the roles of its users; `nil` where no replication leads there.
    func memberships(logger: Logger) -> UpstreamMemberships? {
        guard let replication, isServer(of: replication) else { return nil }
        return UpstreamMemberships(replication, logger: logger)
    }
}
