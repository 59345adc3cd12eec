import Gateway
import ModernTestSupport
import Storage
import TestSupport
import Testing

@testable import ModernClient

@Suite("An idle pair", .timeLimit(.minutes(2)))
struct IdleTests {
    @Test("An idle pair sends nothing, and a change causes only its own messages, in either direction")
    func silence() async throws {
        let pair = try await ReplicationPair()
        try await pair.here.put("h", "{}")
        try await pair.there.put("t", "{}")
        var configuration = pair.configuration()
        configuration.continuous = true
        let replicator = try pair.replicator(configuration)
        await replicator.start()
        await replicator.wait { $0.activity == .idle && $0.progress.completed == 2 }
        for round in 0..<8 {
            try await (round % 2 == 0 ? pair.there : pair.here).put("round", "{\"n\":\(round)}")
            await replicator.wait { $0.progress.completed == UInt64(round) + 3 }
            try await waitUntilSettled(pair, replicator)
        }
        // A change that is sent back would be proposed, and counted.
        let progress = await replicator.status.progress
        #expect(progress.completed == 10 && progress.total == 10)
        let (messages, bytes) = (pair.traffic.messages, pair.traffic.bytes)
        // A write that is not replicated wakes no side.
        for number in 0..<20 {
            _ = try await pair.there.setLocalDocument(.checkpoint, id: "other\(number)", body: Array("{}".utf8), expected: nil)
        }
        try await waitUntilSettled(pair, replicator)
        await replicator.stop()
        await replicator.waitUntilStopped()
        #expect(pair.traffic.messages == messages && pair.traffic.bytes == bytes)
        #expect(pair.traffic.connections == 1)
    }

    /// Waits until the saved checkpoints include all changes of both sides.
    private func waitUntilSettled(_ pair: ReplicationPair, _ replicator: Replicator) async throws {
        let (here, there) = (try await pair.here.lastSequence().value, try await pair.there.lastSequence().value)
        await eventually { await replicator.session?.isSettled(here, there) != false }
    }
}

extension ReplicationSession {
    fileprivate func isSettled(_ here: Int64, _ there: Int64) -> Bool {
        collections.allSatisfy { collection in
            !collection.isSaving && collection.saved.local.end == here && collection.saved.remote == "\(there)"
                && collection.checkpoint == collection.saved
        }
    }
}
