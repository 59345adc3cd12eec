import Documents
import Gateway
import LegacyTestSupport
import Testing

@testable import LegacyClient

@Suite("Stopped 1.x replications", .timeLimit(.minutes(5)))
struct ReplicationStopTests {
    private static let count = 120

    /// Small requests, so that many are left when the first is in progress, and enough time for a busy machine to finish it.
    private var limits: ReplicationLimits {
        var limits = ReplicationLimits()
        limits.batch = 10
        limits.concurrency = 4
        limits.stopTime = .seconds(600)
        return limits
    }

    private func documents(_ replication: Replication) -> Task<[String], Never> {
        let notices = replication.notices()
        return Task {
            var all: [String] = []
            for await notice in notices {
                switch notice {
                case .change(let change): if change.status == .stopped { return all }
                case .documents(let batch): all += batch.filter { $0.error == nil }.map(\.id)
                }
            }
            return all
        }
    }

    @Test(
        "Requests in progress finish and are reported, the checkpoint agrees, and nothing is transferred twice",
        arguments: [ReplicationDirection.push, .pull], [false, true])
    func finishes(_ direction: ReplicationDirection, _ isContinuous: Bool) async throws {
        let fixture = try await ReplicationFixture()
        let (source, target) = direction == .push ? (fixture.here, fixture.there.bridge) : (fixture.there.bridge, fixture.here)
        try await source.push((0..<Self.count).map { #"{"_id":"\#($0)","_rev":"1-a"}"# }.joined(separator: ","))
        let replication = try fixture.replication(direction, limits: limits)
        replication.continuous = isContinuous
        let first = documents(replication)
        let request = direction == .push ? "POST _bulk_docs" : "POST _bulk_get"
        fixture.there.misbehave { entry, _ in
            if entry.name == request { replication.stop() }
            return nil
        }
        replication.start()
        let end = await replication.waitUntilStopped()
        #expect(end.lastError == nil && end.completedChangesCount > 0)
        let told = await first.value
        #expect(told.count < Self.count)
        // The arrived documents are the reported ones.
        #expect(try await ReplicationFixture.contents(target).keys.sorted() == told.sorted())
        #expect(try await replication.savedSequence() != nil || !told.contains("0"))
        fixture.there.misbehave { _, _ in nil }
        let next = try fixture.replication(direction, limits: limits)
        let second = documents(next)
        next.start()
        #expect(await next.waitUntilStopped().lastError == nil)
        #expect((told + (await second.value)).sorted() == (0..<Self.count).map(String.init).sorted())
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    @Test("A stopped replication waits neither for an outstanding response nor for a retry")
    func givesUp() async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.here.push(#"{"_id":"a","_rev":"1-a"}"#)
        var limits = limits
        limits.stopTime = .zero
        limits.lastCheckpointTime = .zero
        limits.requestDelays = Array(repeating: .seconds(3600), count: 5)
        let push = try Replication(
            .push, localDatabase: fixture.here.database.unified, remoteURL: fixture.there.url, limits: limits, clock: ContinuousClock())
        fixture.there.misbehave { entry, _ in
            guard entry.name == "POST _bulk_docs" else { return nil }
            push.stop()
            return .status(503, "busy")
        }
        push.start()
        #expect(await push.waitUntilStopped().completedChangesCount == 0)
        await fixture.there.close()
    }
}
