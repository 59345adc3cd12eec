import Gateway
import Storage
import Synchronization
import Testing

@testable import LegacyClient

@Suite("A pull from the legacy upstream", .timeLimit(.minutes(3)))
struct UpstreamIdleTests {
    /// How many documents were found to be noted, and how many of them came to it when the replication said that it was idle.
    private final class Notes: Sendable {
        private let state = Mutex((seen: 0, late: 0))

        func take(_ count: Int, isIdle: Bool) {
            state.withLock { state in
                if isIdle { state.late += max(0, count - state.seen) }
                state.seen = max(count, state.seen)
            }
        }

        var seen: Int { state.withLock { $0.seen } }
        var late: Int { state.withLock { $0.late } }
    }

    @Test("It is idle when all that its feed has shown is noted, and not before")
    func idle() async throws {
        let (witness, notes) = (StoreWitness(), Notes())
        let there = try await RemoteServer()
        let here = try await Bridge(witness: witness)
        let ids = (0..<60).map { "d\($0)" }
        for id in ids { try await there.bridge.push(#"{"_id":"\#(id)","_rev":"1-aa"}"#) }
        // Of the last ones nothing has to be fetched.
        for id in ids.suffix(5) { try await here.push(#"{"_id":"\#(id)","_rev":"1-aa"}"#) }
        var limits = ReplicationLimits()
        limits.batch = 3
        limits.concurrency = 4
        let pull = try Replication(
            .pull, localDatabase: here.database.unified, remoteURL: there.url, limits: limits, clock: ContinuousClock())
        pull.continuous = true
        pull.isUpstream = true
        // It looks before the writer goes on.
        witness.look { [weak pull] snapshot in
            let count = try ids.count { id in
                guard let sequence = try snapshot.document(unifiedID: id)?.sequence else { return false }
                return try snapshot.isShownUpstream(sequence)
            }
            notes.take(count, isIdle: pull?.status == .idle)
        }
        pull.start()
        await pull.wait { $0.status == .idle }
        #expect(notes.seen == ids.count && notes.late == 0)
        let end = try await there.bridge.database.unified.lastSequence().value
        #expect(try await here.database.unified.pulledUpstream() == end)
        pull.stop()
        #expect(await pull.waitUntilStopped().lastError == nil)
        await there.close()
    }
}
