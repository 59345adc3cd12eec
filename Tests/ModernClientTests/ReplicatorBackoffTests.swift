import Gateway
import ModernTestSupport
import Testing

@testable import ModernClient

@Suite("Retry delays of the replicator")
struct ReplicatorBackoffTests {
    private func waits(_ backoff: ReplicatorBackoff, limit: Int = 20) -> [Duration] {
        var backoff = backoff
        return (0..<limit).compactMap { _ in backoff.next() }
    }

    @Test("One-shot replications retry nine times, with delays that double up to five minutes")
    func oneShot() {
        #expect(waits(ReplicatorBackoff(isContinuous: false)) == [2, 4, 8, 16, 32, 64, 128, 256, 300].map { .seconds($0) })
    }

    @Test("Continuous replications retry without end")
    func continuous() {
        #expect(waits(ReplicatorBackoff(isContinuous: true), limit: 1_000).count == 1_000)
    }

    @Test("The app's limits apply")
    func limits() {
        #expect(waits(ReplicatorBackoff(isContinuous: false, maxAttempts: 1)).isEmpty)
        #expect(waits(ReplicatorBackoff(isContinuous: true, maxAttempts: 3)) == [.seconds(2), .seconds(4)])
        #expect(waits(ReplicatorBackoff(isContinuous: false, maxAttempts: 5, maxWait: 5)) == [2, 4, 5, 5].map { .seconds($0) })
    }

    @Test("A connection resets the delay, and only transferred changes reset the count")
    func resets() {
        var backoff = ReplicatorBackoff(isContinuous: false, maxAttempts: 4)
        #expect(backoff.next() == .seconds(2))
        #expect(backoff.next() == .seconds(4))
        backoff.recordConnection()
        #expect(backoff.next() == .seconds(2))
        #expect(backoff.next() == nil)
        backoff.reset()
        #expect(waits(backoff) == [2, 4, 8].map { .seconds($0) })
    }

    @Test("Negative values are refused, and so is a configuration without collections")
    func validation() async throws {
        let bridge = try await TestBridge()
        var configuration = ReplicatorConfiguration(target: URLEndpoint(url: "ws://localhost/db"))
        #expect(throws: ReplicatorError.self) { try Replicator(configuration: configuration) }
        configuration.addCollection(bridge.database.unified)
        _ = try Replicator(configuration: configuration)
        for path in [\ReplicatorConfiguration.heartbeat, \.maxAttempts, \.maxAttemptWaitTime] {
            var wrong = configuration
            wrong[keyPath: path] = -1
            #expect(throws: ReplicatorError.self) { try Replicator(configuration: wrong) }
        }
        #expect(configuration.heartbeatInterval == .seconds(300))
    }
}
