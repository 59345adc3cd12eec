import Documents
import Gateway
import LegacyTestSupport
import Storage
import TestSupport
import Testing

@testable import LegacyClient

@Suite("Rule 1 for refused revisions: a checkpoint passes only revisions that are parked", .timeLimit(.minutes(3)))
struct ParkingRuleTests {
    private static func isBad(_ text: String) -> Bool { text.contains("bad") }

    private static func picky(_ configuration: inout DatabaseConfiguration) {
        configuration.collections = [
            CollectionConfiguration(
                name: .default, syncFunction: "function (doc) { if (doc.bad) { throw({forbidden: \"not like this\"}); } }")
        ]
    }

    /// A database here and one on a server. The receiving side refuses every fifth document.
    private func pair(_ direction: ReplicationDirection, _ witness: StoreWitness? = nil) async throws -> (here: Bridge, there: RemoteServer)
    {
        let there = try await RemoteServer { if direction == .push { Self.picky(&$0) } }
        let here = try await Bridge(witness: witness) { if direction == .pull { Self.picky(&$0) } }
        for number in 0..<40 {
            let isBad = number.isMultiple(of: 5)
            let id = "\(isBad ? "bad" : "d")\(number)"
            try await (direction == .push ? here : there.bridge).push(#"{"_id":"\#(id)","_rev":"1-aa","bad":\#(isBad)}"#)
        }
        return (here, there)
    }

    private func replication(_ direction: ReplicationDirection, _ here: Bridge, _ there: RemoteServer) throws -> (
        Replication, LegacyCheckpointID
    ) {
        var limits = ReplicationLimits()
        limits.batch = 3
        limits.concurrency = 4
        limits.checkpointInterval = .milliseconds(1)
        let replication = try Replication(
            direction, localDatabase: here.database.unified, remoteURL: there.url, limits: limits, clock: ContinuousClock())
        replication.localUUID = "U"
        replication.parking = Parking("r", in: here.database)
        let id = LegacyCheckpointID(
            localUUID: "U", direction: direction, settings: replication.settings, remoteURL: try RemoteURL(there.url).text)
        return (replication, id)
    }

    @Test(
        "Whenever the receiver of a checkpoint crashes, the refused revisions before the checkpoint are parked",
        arguments: ReplicationDirection.allCases)
    func crash(direction: ReplicationDirection) async throws {
        let witness = StoreWitness()
        let (here, there) = try await pair(direction, witness)
        let rows = try await (direction == .push ? here : there.bridge).database.unified.changes(ChangesQuery()).rows.map {
            ($0.sequence.value, $0.id)
        }
        let (replication, id) = try replication(direction, here, there)
        let found = CrashFindings()
        witness.inspect { snapshot in
            guard let kept = try snapshot.localDocument(.replicator, in: .unified, id: id.text),
                let checkpoint = LocalCheckpoint(kept.body),
                let last = Int64(checkpoint.lastSequence)
            else { return }
            let parked = Set(try snapshot.parked(.all, by: .firstRefused, skip: 0, limit: 1_000).map(\.id))
            found.record(last, rows.filter { $0.0 <= last && Self.isBad($0.1) && !parked.contains($0.1) }.map(\.1))
        }
        replication.start()
        #expect(await replication.waitUntilStopped().lastError == nil)
        #expect(found.missing == [] && found.last == rows.last?.0)
        #expect(try await here.database.parked(limit: 100).total == 8)
        await there.close()
    }

    @Test(
        "A revision that was refused before the checkpoint was saved is refused again and listed once",
        arguments: ReplicationDirection.allCases)
    func again(direction: ReplicationDirection) async throws {
        let (here, there) = try await pair(direction)
        there.misbehave { entry, _ in entry.name.hasPrefix("PUT _local") ? .status(403, "no") : nil }
        let (first, id) = try replication(direction, here, there)
        first.start()
        await first.waitUntilStopped()
        #expect(try await here.database.parked(limit: 100).revisions.map(\.attempts) == Array(repeating: 1, count: 8))
        try await CheckpointKeeper.reset(id, in: here.database.unified)
        there.misbehave { _, _ in nil }
        for _ in 0..<2 {
            let (next, _) = try replication(direction, here, there)
            next.start()
            #expect(await next.waitUntilStopped().lastError == nil)
            let (parked, total) = try await here.database.parked(limit: 100)
            #expect(total == 8 && parked.allSatisfy { $0.attempts == 2 && $0.code == 403 })
        }
        await there.close()
    }

    @Test("A _bulk_docs that is refused because of one document, as by CouchDB, parks only this document", arguments: [400, 412, 413])
    func bulk(status: Int) async throws {
        let (here, there) = (try await Bridge(), try await RemoteServer())
        for id in ["a", "bad", "c"] { try await here.push(#"{"_id":"\#(id)","_rev":"1-aa"}"#) }
        there.misbehave { entry, _ in
            entry.name == "POST _bulk_docs" || entry.method == "PUT" && Self.isBad(entry.path) ? .status(status, "document_too_large") : nil
        }
        let (push, _) = try replication(.push, here, there)
        push.start()
        #expect(await push.waitUntilStopped().lastError == nil)
        #expect(try await ReplicationFixture.contents(there.bridge).keys.sorted() == ["a", "c"])
        let parked = try await here.database.parked(limit: 10).revisions
        #expect(parked.map(\.id) == ["bad"] && parked.first?.code == status)
        #expect(parked.first?.reason.contains("document_too_large") == true)
        await there.close()
    }

    @Test("Leaves of one document that were refused at different times are retried together")
    func leaves() async throws {
        let (here, there) = (try await Bridge(), try await RemoteServer { Self.picky(&$0) })
        for (id, revision) in [("a", "1-aa"), ("b", "1-aa"), ("a", "1-bb")] {
            try await here.push(#"{"_id":"\#(id)","_rev":"\#(revision)","bad":true}"#)
            let (push, _) = try replication(.push, here, there)
            push.start()
            #expect(await push.waitUntilStopped().lastError == nil)
        }
        let parked = try await here.database.parked(limit: 9).revisions
        #expect(parked.map { $0.id + $0.revision } == ["a1-aa", "b1-aa", "a1-bb"])
        let (push, _) = try replication(.push, here, there)
        let refused = try parked.map { RefusedRevision(id: $0.id, revision: try #require(RevisionID($0.revision))) }
        try await push.tryAgain(refused)
        #expect(try await here.database.parked(limit: 9).revisions.map(\.attempts) == parked.map { $0.attempts + 1 })
        await there.close()
    }

    @Test("A revision that was accepted at another try is offered once more, as the server may return to a backup; a forgotten one is not")
    func retried() async throws {
        let (here, there) = try await pair(.push)
        func run() async throws -> [String] {
            let (push, _) = try replication(.push, here, there)
            push.start()
            #expect(await push.waitUntilStopped().lastError == nil)
            return try await here.database.parked(limit: 9).revisions.map(\.id)
        }
        #expect(try await run().count == 8)
        let parking = Parking("r", in: here.database)
        try await parking.note([ParkingOutcome(.push, id: "bad5", revision: "1-aa")], in: here.database.unified)
        _ = try await here.database.forgetParked(.all)
        // It is refused, which shows that it was offered.
        #expect(try await run() == ["bad5"])
        #expect(try await run() == ["bad5"])
        await there.close()
    }
}
