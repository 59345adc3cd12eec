import Coordination
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

    @Test("A push that looks at the pull's checkpoint while the pull saves it keeps the recorded rows")
    func saving() async throws {
        let world = try await Repointing()
        let (old, here) = (world.old.bridge, world.bridge.bridge.database.unified)
        try await write(old, ["d0", "d1"])
        try await replicate(world, .pull)
        try await write(world.bridge.bridge, ["here"])
        let path = try #require(checkpoints(world).first)
        let id = try #require(path.split(separator: "/").last.map(String.init))
        try await replicate(world, .push)
        try await replicate(world, .pull)
        let before = try #require(try await CheckpointKeeper.local(id, in: here))
        try await write(old, ["d2"])
        try await replicate(world, .pull)
        let after = try #require(try await CheckpointKeeper.local(id, in: here))
        @Sendable func save(remote: String, _ local: LocalCheckpoint) async throws {
            let revision = try JSONValue(Array(try await old.send(.get, path).text.utf8))["_rev"]?.string ?? ""
            let half = #"{"lastSequence":"\#(remote)","_rev":"\#(revision)"}"#
            #expect(try await old.send(.put, path, json: half).status == 201)
            try await CheckpointKeeper.setLocal(local, id, in: here)
        }
        var saving = after
        saving.previous = before.lastSequence
        try await save(remote: before.lastSequence, saving)
        let reads = Lock(0)
        world.old.misbehave { entry, _ in
            guard entry.method == "GET", entry.path == path else { return nil }
            let read = reads.withLock { count in
                count += 1
                return count
            }
            // The save is complete when the checkpoint is read once more.
            return read == 2 ? .late({ try? await save(remote: after.lastSequence, after) }, { $0 }) : nil
        }
        try await replicate(world, .push)
        #expect(reads.withLock { $0 } == 3)
        let last = try await here.lastSequence()
        #expect(try await here.shownUpstream([last], in: world.old.url) == [last])
        await world.close()
    }
}
