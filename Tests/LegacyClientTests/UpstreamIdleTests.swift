import Coordination
import Gateway
import LegacyTestSupport
import Storage
import Testing

@testable import LegacyClient

@Suite("A pull from the legacy upstream", .timeLimit(.minutes(3)))
struct UpstreamIdleTests {
    /// The number of documents in the store, and their number when the replication became idle.
    private final class Progress: Sendable {
        private let state = Lock((seen: 0, late: 0))

        func record(_ count: Int, isIdle: Bool) {
            state.withLock { state in
                if isIdle { state.late += max(0, count - state.seen) }
                state.seen = max(count, state.seen)
            }
        }

        var seen: Int { state.withLock { $0.seen } }
        var late: Int { state.withLock { $0.late } }
    }

    @Test("A pull is idle when all rows of its feed are stored, and not before")
    func idle() async throws {
        let (witness, progress) = (StoreWitness(), Progress())
        let there = try await RemoteServer()
        let here = try await Bridge(witness: witness)
        let ids = (0..<60).map { "d\($0)" }
        for id in ids { try await there.bridge.push(#"{"_id":"\#(id)","_rev":"1-aa"}"#) }
        // Nothing has to be fetched for the last rows.
        for id in ids.suffix(5) { try await here.push(#"{"_id":"\#(id)","_rev":"1-aa"}"#) }
        var limits = ReplicationLimits()
        limits.batch = 3
        limits.concurrency = 4
        let pull = try Replication(
            .pull, localDatabase: here.database.unified, remoteURL: there.url, limits: limits, clock: ContinuousClock())
        pull.continuous = true
        pull.isUpstream = true
        // The inspection runs before the writer continues.
        witness.inspect { [weak pull] snapshot in
            let count = try ids.count { id in
                guard let sequence = try snapshot.document(unifiedID: id)?.sequence else { return false }
                return try snapshot.isShownUpstream(sequence)
            }
            progress.record(count, isIdle: pull?.status == .idle)
        }
        pull.start()
        await pull.wait { $0.status == .idle }
        #expect(progress.seen == ids.count && progress.late == 0)
        let end = try await there.bridge.database.unified.lastSequence().value
        #expect(try await here.database.unified.pulledUpstream()?.reached == end)
        pull.stop()
        #expect(await pull.waitUntilStopped().lastError == nil)
        await there.close()
    }
}
