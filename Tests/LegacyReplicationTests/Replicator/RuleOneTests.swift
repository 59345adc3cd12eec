import Documents
import Gateway
import Storage
import Synchronization
import Testing

@testable import LegacyClient

@Suite("Rule 1: a checkpoint is never ahead of the data", .timeLimit(.minutes(3)))
struct RuleOneTests {
    /// What was found at each look, a crash at whose moment would have left just that.
    private final class Findings: Sendable {
        let checkpoints = Mutex<Set<Int64>>([])
        let missing = Mutex<[String]>([])
    }

    private static let documents = (0..<150).map { #"{"_id":"d\#($0)","_rev":"1-aa"}"# }

    /// Checkpoints that are saved all the time, and many small requests that are under way together.
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
        let id = CheckpointID(
            localUUID: "U", direction: direction, settings: replication.settings, remoteURL: try RemoteURL(there.url).text)
        return (replication, id.text)
    }

    private func fill(_ bridge: Bridge) async throws -> [(sequence: Int64, id: String)] {
        for document in Self.documents { try await bridge.push(document) }
        return try await bridge.database.unified.changes(ChangesQuery()).rows.map { ($0.sequence.value, $0.id) }
    }

    /// Expects that everything up to the checkpoint is there, in the same state of the store.
    private static func look(
        _ snapshot: any StoreSnapshot, _ checkpoint: LocalDocument?, _ rows: [(sequence: Int64, id: String)], _ findings: Findings
    ) throws {
        guard let checkpoint, let last = LocalCheckpoint(checkpoint.body).flatMap({ Int64($0.lastSequence) }) else { return }
        findings.checkpoints.withLock { _ = $0.insert(last) }
        for row in rows where row.sequence <= last {
            guard try snapshot.document(unifiedID: row.id) == nil else { continue }
            findings.missing.withLock { $0.append("\(row.id) at \(row.sequence), with a checkpoint at \(last)") }
        }
    }

    @Test("A pull: at whatever moment it crashes, what its checkpoint says is here")
    func pull() async throws {
        let (witness, findings) = (StoreWitness(), Findings())
        let there = try await RemoteServer()
        let here = try await Bridge(witness: witness)
        let rows = try await fill(there.bridge)
        let (replication, id) = try replication(.pull, here, there)
        witness.look { try Self.look($0, $0.localDocument(.replicator, in: .unified, id: id), rows, findings) }
        replication.start()
        #expect(await replication.waitUntilStopped().lastError == nil)
        #expect(findings.missing.withLock { $0 } == [])
        #expect(findings.checkpoints.withLock { $0.max() } == rows.last?.sequence)
        await there.close()
    }

    @Test("A push: at whatever moment the server crashes, what it keeps of the checkpoint is there")
    func push() async throws {
        let (witness, findings) = (StoreWitness(), Findings())
        let there = try await RemoteServer(witness: witness)
        let here = try await Bridge()
        let rows = try await fill(here)
        let (replication, id) = try replication(.push, here, there)
        witness.look { snapshot in
            for kind in [LocalDocumentKind.local, .checkpoint] {
                try Self.look(snapshot, snapshot.localDocument(kind, in: .unified, id: id), rows, findings)
            }
        }
        replication.start()
        #expect(await replication.waitUntilStopped().lastError == nil)
        #expect(findings.missing.withLock { $0 } == [])
        #expect(findings.checkpoints.withLock { $0.max() } == rows.last?.sequence)
        await there.close()
    }
}
