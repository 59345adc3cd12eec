import Documents
import Gateway
import HTTPTypes
import LegacyTestSupport
import Testing

@testable import LegacyClient

@Suite("A legacy upstream that was restored from a backup", .timeLimit(.minutes(5)))
struct RestoredUpstreamTests {
    private func replicate(_ world: Repointing, _ direction: ReplicationDirection) async throws {
        let replication = try Replication(
            direction, localDatabase: world.bridge.bridge.database.unified, remoteURL: world.old.url, limits: ReplicationLimits(),
            clock: ImpatientClock(maximum: 1_000))
        replication.isUpstream = true
        replication.start()
        #expect(await replication.waitUntilStopped().lastError == nil)
    }

    private func write(_ bridge: Bridge, _ ids: [String]) async throws {
        for id in ids { try await bridge.push(#"{"_id":"\#(id)","_rev":"1-aa"}"#) }
    }

    /// The IDs of the checkpoints on the old server.
    private func checkpoints(_ world: Repointing) -> [String] {
        Set(world.old.entries.filter { $0.method == "PUT" && $0.path.contains("/_local/") }.map(\.path)).sorted()
    }

    @Test("The upstream gets its lost documents again, by a push alone or by a pull before it", arguments: [true, false])
    func lost(pushesOnly: Bool) async throws {
        let world = try await Repointing()
        let (old, here) = (world.old.bridge, world.bridge.bridge)
        try await write(old, (0..<6).map { "d\($0)" })
        try await replicate(world, .pull)
        let pull = try #require(checkpoints(world).first)
        // The backup is made here.
        try await write(old, ["d6", "d7"])
        try await write(here, ["here"])
        try await replicate(world, .push)
        try await replicate(world, .pull)
        try await replicate(world, .push)
        #expect(try await ReplicationFixture.contents(here) == ReplicationFixture.contents(old))
        try await old.database.unified.purge(["d6", "d7", "here"])
        for path in checkpoints(world) {
            let revision = try JSONValue(Array(try await old.send(.get, path).text.utf8))["_rev"]?.string ?? ""
            let sequence = path == pull ? "7006" : "1000000006"
            #expect(try await old.send(.put, path, json: #"{"lastSequence":"\#(sequence)","_rev":"\#(revision)"}"#).status == 201)
        }
        if !pushesOnly { try await replicate(world, .pull) }
        try await replicate(world, .push)
        #expect(try await ReplicationFixture.contents(here) == ReplicationFixture.contents(old))
        await world.close()
    }
}
