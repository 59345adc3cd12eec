import Documents
import Gateway
import Storage
import Synchronization
import Testing

@testable import LegacyReplication

@Suite("Rule 1 for what is refused: a checkpoint never passes what is on no list", .timeLimit(.minutes(3)))
struct ParkingRuleTests {
    private let isBad: @Sendable (String) -> Bool = { $0.contains("bad") }

    /// Documents of which every fifth is refused. They have attachments, so that each has a request of its own.
    private func fill(_ bridge: Bridge) async throws {
        for number in 0..<40 {
            let name = number.isMultiple(of: 5) ? "bad\(number)" : "d\(number)"
            try await bridge.push(
                #"{"_id":"\#(name)","_rev":"1-aa","_attachments":{"a":{"data":"aGk=","content_type":"text/plain","revpos":1}}}"#)
        }
    }

    private func replication(_ here: Bridge, _ there: RemoteServer) throws -> (Replication, id: String) {
        var limits = ReplicationLimits()
        limits.batch = 3
        limits.concurrency = 4
        limits.checkpointInterval = .milliseconds(1)
        let push = try Replication(
            .push, localDatabase: here.database.unified, remoteURL: there.url, limits: limits, clock: ContinuousClock())
        push.localUUID = "U"
        push.parking = Parking("r", in: here.database)
        let id = CheckpointID(
            localUUID: "U", direction: .push, settings: push.settings, remoteURL: try RemoteURL(there.url).text)
        return (push, id.text)
    }

    private func server() async throws -> RemoteServer {
        let there = try await RemoteServer()
        let isBad = isBad
        there.misbehave { entry, _ in entry.method == "PUT" && isBad(entry.path) ? .status(413, "too large") : nil }
        return there
    }

    @Test("At whatever moment it crashes between the refusal and the checkpoint, what the checkpoint passes is parked or there")
    func crash() async throws {
        let witness = StoreWitness()
        let there = try await server()
        let here = try await Bridge(witness: witness)
        try await fill(here)
        let rows = try await here.database.unified.changes(ChangesQuery()).rows.map { ($0.sequence.value, $0.id) }
        let (push, id) = try replication(here, there)
        let (isBad, found) = (isBad, Findings())
        witness.look { snapshot in
            guard let kept = try snapshot.localDocument(.replicator, in: .unified, id: id), let checkpoint = LocalCheckpoint(kept.body),
                let last = Int64(checkpoint.lastSequence)
            else { return }
            let parked = Set(try snapshot.parked(.all, by: .firstRefused, skip: 0, limit: 1_000).map(\.id))
            found.note(last, rows.filter { $0.0 <= last && isBad($0.1) && !parked.contains($0.1) }.map(\.1))
        }
        push.start()
        #expect(await push.waitUntilStopped().lastError == nil)
        #expect(found.missing == [] && found.last == rows.last?.0)
        #expect(try await here.database.parked(limit: 100).total == 8)
        await there.close()
    }

    @Test("What was refused before a checkpoint could be saved is refused once more, and stands on the list once")
    func again() async throws {
        let there = try await server()
        let here = try await Bridge()
        try await fill(here)
        let isBad = isBad
        there.misbehave { entry, _ in
            entry.method == "PUT" && isBad(entry.path)
                ? .status(413, "too large") : entry.name.hasPrefix("PUT _local") ? .status(500, "no") : nil
        }
        let (push, _) = try replication(here, there)
        push.start()
        await push.waitUntilStopped()
        #expect(try await here.database.parked(limit: 100).revisions.map(\.attempts) == Array(repeating: 1, count: 8))
        try await CheckpointKeeper.reset(
            CheckpointID(localUUID: "U", direction: .push, settings: push.settings, remoteURL: try RemoteURL(there.url).text),
            in: here.database.unified)
        there.misbehave { entry, _ in entry.method == "PUT" && isBad(entry.path) ? .status(413, "too large") : nil }
        for _ in 0..<2 {
            let (next, _) = try replication(here, there)
            next.start()
            #expect(await next.waitUntilStopped().lastError == nil)
            let (parked, total) = try await here.database.parked(limit: 100)
            #expect(total == 8 && parked.allSatisfy { $0.attempts == 2 && $0.code == 413 })
        }
        await there.close()
    }

    /// What was found at each look, a crash at whose moment would have left just that.
    private final class Findings: Sendable {
        private let state = Mutex((last: Int64(0), missing: [String]()))

        func note(_ last: Int64, _ missing: [String]) {
            state.withLock { state in
                state.last = max(state.last, last)
                state.missing += missing
            }
        }

        var last: Int64 { state.withLock { $0.last } }
        var missing: [String] { state.withLock { $0.missing } }
    }
}
