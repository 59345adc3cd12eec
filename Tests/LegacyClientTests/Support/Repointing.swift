import Authentication
import Coordination
import Documents
import Foundation
import Gateway
import LegacyTestSupport

@testable import LegacyClient

/// The old server of a fleet, the bridge, and the bridge's client for the old server's checkpoints.
final class Repointing: Sendable {
    let old: RemoteServer
    let bridge: RemoteServer
    let upstream: UpstreamCheckpoints
    private let seconds: Seconds

    private final class Seconds: Sendable {
        let now = Lock<Int64>(1_000_000)
    }

    /// - Parameter isOpaque: Whether the old server has opaque sequences as CouchDB does, rather than small numbers.
    init(isOpaque: Bool = false) async throws {
        let seconds = Seconds()
        self.seconds = seconds
        old = try await RemoteServer()
        bridge = try await RemoteServer()
        upstream = UpstreamCheckpoints(
            UpstreamConfiguration(database: try VerificationEndpoint(configured: old.url)),
            clock: AccessClock { seconds.now.withLock { $0 * 1_000 } })
        bridge.follow(upstream)
        old.misbehave { entry, _ in
            // The feed, and the database's information.
            guard entry.path.contains("/_changes") || entry.path.hasSuffix("/") else { return nil }
            return .rewrite { text in
                text.replacing(/1000000(\d\d\d)/) { isOpaque ? "\"\($0.1)-g1AAAA\($0.1)\"" : "7\($0.1)" }
            }
        }
    }

    func advance(seconds count: Int64) { seconds.now.withLock { $0 += count } }

    /// Pulls the old server's documents into the bridge.
    func pull() async throws {
        let pull = try Replication(
            .pull, localDatabase: bridge.bridge.database.unified, remoteURL: old.url, limits: ReplicationLimits(),
            clock: ImpatientClock(maximum: 1_000))
        pull.isUpstream = true
        pull.start()
        await pull.waitUntilStopped()
    }

    /// Pushes the bridge's documents to the old server.
    func push() async throws {
        let push = try Replication(
            .push, localDatabase: bridge.bridge.database.unified, remoteURL: old.url, limits: ReplicationLimits(),
            clock: ImpatientClock(maximum: 1_000))
        push.start()
        await push.waitUntilStopped()
    }

    /// Pulls from one of both servers with a phone. Returns the number of offered revisions and the error.
    func run(_ phone: Bridge, with server: RemoteServer) async throws -> (offered: Int, error: ReplicationError?) {
        let pull = try Replication(
            .pull, localDatabase: phone.database.unified, remoteURL: server.url, limits: ReplicationLimits(),
            clock: ImpatientClock(maximum: 1_000))
        pull.customProperties = ["remoteUUID": .string("fleet")]
        pull.localUUID = "PHONE"
        pull.start()
        await pull.waitUntilStopped()
        return (pull.changesCount, pull.lastError)
    }

    func close() async {
        await upstream.close()
        await old.close()
        await bridge.close()
    }
}
