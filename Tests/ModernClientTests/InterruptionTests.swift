import Documents
import Gateway
import ModernTestSupport
import Storage
import TestSupport
import Testing

@testable import ModernClient
@testable import ModernProtocol

@Suite("Replications that are interrupted repeatedly", .timeLimit(.minutes(3)))
struct InterruptionTests {
    /// Changes documents on either side; a few of them on both.
    private func edit(_ pair: ReplicationPair, _ generator: inout SeededGenerator, _ round: Int) async throws {
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let isHere = generator.once(in: 2)
            let name = generator.once(in: 5) ? "both" : isHere ? "here" : "there"
            let id = "\(name)\(Int.random(in: 0..<8, using: &generator))"
            let keyspace = isHere ? pair.here : pair.there
            let exists = try await keyspace.read { try $0.document(id) != nil }
            let pad = String(repeating: "x", count: Int.random(in: 0..<3_000, using: &generator))
            try await keyspace.put(
                id, "{\"round\":\(round),\"by\":\"\(name)\",\"pad\":\"\(pad)\"}", deleted: exists && generator.once(in: 6))
        }
    }

    /// Checks that neither side's checkpoint is ahead of the data.
    private func checkCheckpoints(_ pair: ReplicationPair, _ configuration: ReplicatorConfiguration) async throws {
        let replicator = try pair.replicator(configuration)
        let id = try await replicator.checkpointID(of: configuration.collections[0])
        let saved = try await pair.here.replicatorState(id).map { try ReplicationCheckpoint($0) }
        let kept = try await pair.there.localDocument(.checkpoint, id: id).map { try ReplicationCheckpoint($0.body) }
        // The server's half is saved first.
        #expect(saved == nil || kept != nil)
        for checkpoint in [saved, kept].compactMap({ $0 }) {
            let end = checkpoint.remote.flatMap { Int64($0) } ?? 0
            try await expect(pair.here, isKnownTo: pair.there) { checkpoint.local.contains($0) }
            try await expect(pair.there, isKnownTo: pair.here) { $0 <= end }
        }
    }

    private func expect(_ keyspace: Keyspace, isKnownTo other: Keyspace, _ isDone: (Int64) -> Bool) async throws {
        for row in try await keyspace.changes(ChangesQuery()).rows where isDone(row.sequence.value) {
            let revision = try #require(RevisionID(row.revision))
            #expect(try await other.read { try $0.document(row.id)?.tree.lookup(modern: revision) } != nil, "\(row.id) \(row.revision)")
        }
    }

    @Test(
        "Nothing is lost, nothing is transferred twice, and no checkpoint is ahead",
        arguments: 0..<5, [(false, .v3), (true, .v3), (true, .v4)] as [(Bool, Subprotocol)])
    func interruptions(_ seed: UInt64, _ way: (deltas: Bool, subprotocol: Subprotocol)) async throws {
        var generator = SeededGenerator(seed: seed)
        var pair = try await ReplicationPair(there: { $0.deltaSync = way.deltas })
        pair.subprotocol = way.subprotocol
        var told: [String] = []
        for round in 0..<12 {
            try await edit(pair, &generator, round)
            var configuration = pair.configuration(cutAfter: Int.random(in: 1...40, using: &generator))
            configuration.maxAttempts = 1
            configuration.enableDeltaSync = way.deltas
            let (status, documents) = try await pair.run(configuration)
            #expect(status.error == nil || status.error?.isTransient == true, "\(status)")
            told += documents
            try await checkCheckpoints(pair, configuration)
        }
        var configuration = pair.configuration()
        configuration.enableDeltaSync = way.deltas
        let last = try await pair.run(configuration)
        #expect(last.status.error == nil)
        #expect(try await pair.here.state() == pair.there.state())
        try await checkCheckpoints(pair, configuration)
        #expect(try await pair.run(configuration).documents == [])
        let before = pair.traffic.messages
        #expect(try await pair.run(configuration).documents == [])
        // Both checkpoints are requested, the feed is opened and found at its end, and an empty proposal ends the push.
        #expect(pair.traffic.messages - before <= 8)
        #expect(told.allSatisfy { !$0.contains(" 5") })
    }

    @Test("A replication that is interrupted many times transfers each document once")
    func manyCuts() async throws {
        for seed in UInt64(0)..<3 {
            let pair = try await ReplicationPair()
            for number in 0..<120 {
                try await pair.here.put("h\(number)", "{\"n\":\(number)}")
                try await pair.there.put("t\(number)", "{\"n\":\(number)}")
            }
            let cuts = RandomCuts(seed: seed, count: 25, within: 5...60)
            var configuration = ReplicatorConfiguration(target: pair.endpoint(cuts: cuts))
            configuration.maxAttempts = 1_000
            configuration.addCollection(pair.here)
            let (status, documents) = try await pair.run(configuration)
            #expect(status.error == nil)
            #expect(try await pair.here.state() == pair.there.state())
            // A document that was stored before its reply arrived is known the next time, and is not reported.
            #expect(Set(documents).count == documents.count && !documents.contains { $0.contains(" ") })
            #expect(documents.count(where: { $0.hasPrefix("<") }) == 120)
            #expect(try await pair.run(configuration).documents == [])
        }
    }
}
