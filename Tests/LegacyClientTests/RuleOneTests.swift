import Coordination
import Documents
import Gateway
import LegacyTestSupport
import Storage
import Testing

@testable import LegacyClient

@Suite("Rule 1: a checkpoint is never ahead of the data", .timeLimit(.minutes(3)))
struct RuleOneTests {
    /// The state of the store at each inspection, as a crash at that time would leave it.
    private final class Findings: Sendable {
        let checkpoints = Lock<Set<Int64>>([])
        let missing = Lock<[String]>([])
    }

    private static let documents = (0..<150).map { #"{"_id":"d\#($0)","_rev":"1-aa"}"# }

    /// Limits with frequent checkpoints and many small concurrent requests.
    private var limits: ReplicationLimits {
        var limits = ReplicationLimits()
        limits.batch = 7
        limits.concurrency = 4
        limits.checkpointInterval = .milliseconds(1)
        return limits
    }

    private func replication(_ direction: ReplicationDirection, _ here: Bridge, _ there: RemoteServer) throws -> (Replication, id: String) {
        let replication = try Replication(
            direction, localDatabase: here.database.unified, remoteURL: there.url, limits: limits, clock: ContinuousClock())
        replication.localUUID = "U"
        let id = LegacyCheckpointID(
            localUUID: "U", direction: direction, settings: replication.settings, remoteURL: try RemoteURL(there.url).text)
        return (replication, id.text)
    }

    private func fill(_ bridge: Bridge) async throws -> [(sequence: Int64, id: String)] {
        for document in Self.documents { try await bridge.push(document) }
        return try await bridge.database.unified.changes(ChangesQuery()).rows.map { ($0.sequence.value, $0.id) }
    }

    /// Expects everything up to the checkpoint in the same snapshot of the store.
    private static func check(
        _ snapshot: any StoreSnapshot, _ checkpoint: LocalDocument?, _ rows: [(sequence: Int64, id: String)], _ findings: Findings
    ) throws {
        guard let checkpoint, let last = LocalCheckpoint(checkpoint.body).flatMap({ Int64($0.lastSequence) }) else { return }
        findings.checkpoints.withLock { _ = $0.insert(last) }
        for row in rows where row.sequence <= last {
            guard try snapshot.document(unifiedID: row.id) == nil else { continue }
            findings.missing.withLock { $0.append("\(row.id) at \(row.sequence), with a checkpoint at \(last)") }
        }
    }

    @Test("Whenever this side crashes, the documents before a pull's checkpoint are here")
    func pull() async throws {
        let (witness, findings) = (StoreWitness(), Findings())
        let there = try await RemoteServer()
        let here = try await Bridge(witness: witness)
        let rows = try await fill(there.bridge)
        let (replication, id) = try replication(.pull, here, there)
        witness.inspect { try Self.check($0, $0.localDocument(.replicator, in: .unified, id: id), rows, findings) }
        replication.start()
        #expect(await replication.waitUntilStopped().lastError == nil)
        #expect(findings.missing.withLock { $0 } == [])
        #expect(findings.checkpoints.withLock { $0.max() } == rows.last?.sequence)
        await there.close()
    }

    @Test("Whenever the server crashes, the documents before the server's half of a push's checkpoint are there")
    func push() async throws {
        let (witness, findings) = (StoreWitness(), Findings())
        let there = try await RemoteServer(witness: witness)
        let here = try await Bridge()
        let rows = try await fill(here)
        let (replication, id) = try replication(.push, here, there)
        witness.inspect { snapshot in
            for kind in [LocalDocumentKind.local, .checkpoint] {
                try Self.check(snapshot, snapshot.localDocument(kind, in: .unified, id: id), rows, findings)
            }
        }
        replication.start()
        #expect(await replication.waitUntilStopped().lastError == nil)
        #expect(findings.missing.withLock { $0 } == [])
        #expect(findings.checkpoints.withLock { $0.max() } == rows.last?.sequence)
        await there.close()
    }
}
