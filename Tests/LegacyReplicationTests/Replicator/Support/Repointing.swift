import Access
import Documents
import Foundation
import Gateway
import Synchronization

@testable import LegacyClient

/// A server that a fleet comes from, the bridge to which it goes, and the bridge's view of the old server's checkpoints.
final class Repointing: Sendable {
    let old: RemoteServer
    let bridge: RemoteServer
    let upstream: UpstreamCheckpoints
    private let seconds: Seconds

    private final class Seconds: Sendable {
        let now = Mutex<Int64>(1_000_000)
    }

    /// - Parameter isOpaque: Whether the old server writes its sequences as CouchDB does, rather than as small numbers.
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
            // Its feed, and what it says of itself.
            guard entry.path.contains("/_changes") || entry.path.hasSuffix("/") else { return nil }
            return .rewrite { text in
                text.replacing(/1000000(\d\d\d)/) { isOpaque ? "\"\($0.1)-g1AAAA\($0.1)\"" : "7\($0.1)" }
            }
        }
    }

    func pass(seconds count: Int64) { seconds.now.withLock { $0 += count } }

    /// The bridge takes over what the old server has.
    func pull() async throws {
        let pull = try Replication(
            .pull, localDatabase: bridge.bridge.database.unified, remoteURL: old.url, limits: ReplicationLimits(),
            clock: ImpatientClock(maximum: 1_000))
        pull.isUpstream = true
        pull.start()
        await pull.waitUntilStopped()
    }

    /// The bridge gives the old server what it has.
    func push() async throws {
        let push = try Replication(
            .push, localDatabase: bridge.bridge.database.unified, remoteURL: old.url, limits: ReplicationLimits(),
            clock: ImpatientClock(maximum: 1_000))
        push.start()
        await push.waitUntilStopped()
    }

    /// A phone pulls from one of both, to which its URL leads. How many revisions it was offered, and what it found wrong.
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
