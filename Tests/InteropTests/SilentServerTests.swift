import Foundation
import Testing

@testable import LegacyClient
@testable import ModernClient
@testable import Server

@Suite("Other servers that do not reply", .timeLimit(.minutes(5)))
struct SilentServerTests {
    @Test("The timeout of a stopped replication is shorter than the bridge's time to end")
    func limits() {
        let (legacy, modern) = (LegacyClient.ReplicationLimits(), ModernClient.ReplicatorLimits())
        let timeout = Duration.seconds(ShutdownDeadline.timeout)
        #expect(legacy.stopTime + legacy.lastCheckpointTime < timeout)
        #expect(modern.stopTimeout < timeout)
    }

    @Test("The bridge ends in time and in order while it waits for a reply", arguments: ["http", "ws"])
    func end(scheme: String) async throws {
        let (listener, port) = try RawSocket.listen()
        defer { close(listener) }
        let bridge = try await FuzzedBridge(
            configuration: """
                listen: { public: "127.0.0.1:0", admin: "127.0.0.1:0" }
                databases:
                  shop:
                    store: shop.dualgauge
                    replications:
                      other: { remote: "\(scheme)://127.0.0.1:\(port)/shop", direction: push-and-pull, continuous: true }

                """)
        // The replication is running.
        let client = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: accept(listener, nil, nil)) }
        }
        defer { close(client) }
        #expect(client >= 0)
        #expect(try await bridge.stop(["shop"]) == [])
    }
}
