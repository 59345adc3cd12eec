import Documents
import Gateway
import Logging
import ModernTestSupport
import Storage
import TestSupport
import Testing

@testable import ModernClient
@testable import ModernProtocol

@Suite("2.x+: a checkpoint passes only refused revisions that are parked", .timeLimit(.minutes(3)))
struct ParkingRuleTests {
    private static func isBad(_ id: String) -> Bool { id.hasPrefix("bad") }

    /// Two databases, of which the receiving one refuses every fifth document.
    private func pair(_ type: ReplicatorType) async throws -> ReplicationPair {
        let picky: @Sendable (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.collections.append(
                CollectionConfiguration(
                    name: .default, syncFunction: "function (doc) { if (doc.bad) { throw({forbidden: \"not like this\"}); } }"))
        }
        let pair = try await type.pushes ? ReplicationPair(there: picky) : ReplicationPair(picky)
        for number in 0..<40 {
            let isBad = number.isMultiple(of: 5)
            try await (type.pushes ? pair.here : pair.there).put("\(isBad ? "bad" : "d")\(number)", "{\"bad\":\(isBad)}")
        }
        return pair
    }

    private func configuration(_ pair: ReplicationPair, _ type: ReplicatorType, cutAfter limit: Int? = nil) -> ReplicatorConfiguration {
        var configuration = pair.configuration(type, cutAfter: limit)
        configuration.maxAttempts = 1
        configuration.parking = Parking("r", in: pair.local.database)
        return configuration
    }

    @Test("A crash between a refusal and the checkpoint leaves the refused revision parked", arguments: [ReplicatorType.push, .pull])
    func crash(type: ReplicatorType) async throws {
        let pair = try await pair(type)
        let rows = try await (type.pushes ? pair.here : pair.there).changes(ChangesQuery()).rows.map { ($0.sequence.value, $0.id) }
        var limits = ReplicatorLimits()
        limits.rowsInProposal = 3
        limits.rowsInChanges = 3
        limits.session.revisionsInTransaction = 2
        limits.checkpointInterval = .milliseconds(1)
        let configuration = configuration(pair, type)
        let replicator = try Replicator(
            configuration: configuration, limits: limits, clock: ContinuousClock(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let id = try await replicator.checkpointID(of: configuration.collections[0])
        let findings = CrashFindings()
        pair.local.store.inspect { snapshot in
            guard let kept = try snapshot.localDocument(.replicator, in: .unified, id: id) else { return }
            let checkpoint = try ReplicationCheckpoint(kept.body)
            let remote = checkpoint.remote.flatMap { Int64($0) } ?? 0
            let parked = Set(try snapshot.parked(.all, by: .firstRefused, skip: 0, limit: 1_000).map(\.id))
            let passed = rows.filter { type.pushes ? checkpoint.local.contains($0.0) : $0.0 <= remote }
            findings.record(passed.last?.0 ?? 0, passed.map(\.1).filter { Self.isBad($0) && !parked.contains($0) })
        }
        await replicator.start()
        #expect(await replicator.waitUntilStopped().error == nil)
        #expect(findings.missing == [] && findings.last == rows.last?.0)
        #expect(try await pair.local.database.parked(limit: 100).total == 8)
    }

    @Test(
        "After interruptions anywhere, each refused revision is parked once, and all others arrive",
        arguments: [ReplicatorType.push, .pull])
    func cuts(type: ReplicatorType) async throws {
        for limit in [4, 6, 8, 12, 20, 30] {
            let pair = try await pair(type)
            for _ in 0..<2 { _ = try await pair.run(configuration(pair, type, cutAfter: limit)) }
            #expect(try await pair.run(configuration(pair, type)).status.error == nil)
            let (parked, total) = try await pair.local.database.parked(limit: 100)
            #expect(total == 8 && Set(parked.map(\.id)).count == 8 && parked.allSatisfy { Self.isBad($0.id) })
            #expect(try await (type.pushes ? pair.there : pair.here).state().count == 32)
            // Parked revisions are not retried without a request.
            let attempts = parked.map(\.attempts)
            #expect(try await pair.run(configuration(pair, type)).documents == [])
            #expect(try await pair.local.database.parked(limit: 100).revisions.map(\.attempts) == attempts)
        }
    }

    @Test("A revision that was accepted at another try is offered once more, as the server may return to a backup; a forgotten one is not")
    func retried() async throws {
        let pair = try await pair(.push)
        let configuration = configuration(pair, .push)
        _ = try await pair.run(configuration)
        let revision = try await pair.here.read { try $0.document("bad5")?.winner.modernAlias.text }
        try await configuration.parking?.note([ParkingOutcome(.push, id: "bad5", revision: try #require(revision))], in: pair.here)
        _ = try await pair.local.database.forgetParked(.all)
        #expect(try await pair.run(configuration).documents == [">bad5 10403"])
        #expect(try await pair.local.database.parked(limit: 9).revisions.map(\.id) == ["bad5"])
        #expect(try await pair.run(configuration).documents == [])
    }
}
