import Documents
import Gateway
import HTTPTypes
import LegacyTestSupport
import Testing

@testable import LegacyClient

@Suite("A fleet that is repointed from an old server to the bridge", .timeLimit(.minutes(5)))
struct RepointingTests {
    private func write(_ server: RemoteServer, _ ids: [String], generation: Int = 1) async throws {
        for id in ids {
            let ancestors = (1...generation).reversed().map { "\"a\($0)\"" }.joined(separator: ",")
            try await server.bridge.push(
                #"{"_id":"\#(id)","_rev":"\#(generation)-a\#(generation)","_revisions":{"start":\#(generation),"ids":[\#(ancestors)]}}"#)
        }
    }

    private func names(_ range: Range<Int>) -> [String] { range.map { "d\($0)" } }

    private func fetched(_ server: RemoteServer) -> Int {
        server.names.count { $0 == "POST _bulk_get" || $0.hasPrefix("GET d") }
    }

    @Test(
        "A year-old checkpoint transfers only the changes since, with numbers and with CouchDB's opaque sequences",
        arguments: [false, true])
    func yearOld(isOpaque: Bool) async throws {
        let world = try await Repointing(isOpaque: isOpaque)
        let phone = try await Bridge()
        try await write(world.old, names(0..<40))
        try await world.pull()
        #expect(try await world.run(phone, with: world.old).offered == 40)
        try await write(world.old, names(5..<8), generation: 2)
        try await world.pull()
        world.bridge.clearEntries()
        let first = try await world.run(phone, with: world.bridge)
        #expect(first.error == nil)
        #expect(first.offered == 3)
        #expect(fetched(world.bridge) == 1)
        #expect(try await ReplicationFixture.contents(phone) == ReplicationFixture.contents(world.old.bridge))
        #expect(try await world.run(phone, with: world.bridge).offered == 0)
        await world.close()
    }

    @Test("In dual sync with writes on both sides, a phone that comes later gets the changes that it lacks")
    func dualSync() async throws {
        let world = try await Repointing()
        let phone = try await Bridge()
        try await write(world.old, names(0..<20))
        try await world.pull()
        try await write(world.bridge, ["here", "d3"], generation: 2)
        try await world.push()
        try await world.pull()
        #expect(try await world.run(phone, with: world.old).offered == 21)
        try await write(world.old, ["d1", "later"], generation: 2)
        try await write(world.bridge, ["d2"], generation: 2)
        try await world.pull()
        #expect(try await world.run(phone, with: world.bridge).offered == 3)
        try await world.push()
        #expect(try await ReplicationFixture.contents(phone) == ReplicationFixture.contents(world.old.bridge))
        await world.close()
    }

    @Test("A phone that returns to the old server and comes again uses the checkpoint that it saved there in the meantime")
    func backAndForth() async throws {
        let world = try await Repointing()
        let phone = try await Bridge()
        try await write(world.old, names(0..<10))
        try await world.pull()
        #expect(try await world.run(phone, with: world.old).offered == 10)
        try await write(world.old, ["d1"], generation: 2)
        try await world.pull()
        #expect(try await world.run(phone, with: world.bridge).offered == 1)
        try await write(world.old, ["d2"], generation: 2)
        _ = try await world.run(phone, with: world.old)
        try await write(world.old, ["d4"], generation: 2)
        try await world.pull()
        world.advance(seconds: 60)
        world.bridge.clearEntries()
        #expect(try await world.run(phone, with: world.bridge).offered == 1)
        #expect(world.bridge.entries.contains { $0.path.contains("since=7012") })
        #expect(try await ReplicationFixture.contents(phone) == ReplicationFixture.contents(world.old.bridge))
        await world.close()
    }

    // MARK: Inherited checkpoints (docs/protocol/model.md#inherited-checkpoints)

    @Test("A missing checkpoint is fetched with the client's own credentials and stored, and is replaced by the client's next write")
    func fetching() async throws {
        let world = try await Repointing()
        _ = try await world.old.bridge.send(.put, "/db/_local/c", json: #"{"lastSequence":"7001"}"#)
        _ = try await world.old.bridge.send(.put, "/db/_local/c", json: #"{"lastSequence":"7005","_rev":"0-1"}"#)
        let answer = try await ask(world, authorization: "Basic YWxpY2U6bGV0bWVpbg==")
        #expect(answer.text == #"{"_id":"_local/c","_rev":"0-2","lastSequence":"7005"}"#)
        #expect(world.old.entries.map { $0.headers[.authorization] } == ["Basic YWxpY2U6bGV0bWVpbg=="])
        let put = try await world.bridge.bridge.send(.put, "/db/_local/c", json: #"{"lastSequence":"1000000009","_rev":"0-2"}"#)
        #expect(put.text.contains("\"0-3\""))
        world.advance(seconds: 60)
        #expect(try await ask(world).text.contains("1000000009"))
        await world.close()
    }

    @Test("A client without credentials causes no request to the upstream")
    func missing() async throws {
        let world = try await Repointing()
        #expect(try await ask(world).status == 404)
        #expect(world.old.names == ["GET _local/c"])
        #expect(world.old.entries[0].headers[.authorization] == nil && world.old.entries[0].headers[.cookie] == nil)
        await world.close()
    }

    @Test("A client that reads its checkpoint before each write gets the stored one for a while; other clients get the upstream's")
    func resting() async throws {
        let world = try await Repointing()
        func write(_ server: RemoteServer, _ id: String, _ body: String) async throws {
            _ = try await server.bridge.send(.put, "/db/_local/\(id)", json: body)
        }
        try await write(world.old, "pouch", #"{"last_seq":7001,"history":[{"session_id":"s","last_seq":7001}]}"#)
        for _ in 0..<3 { #expect(try await ask(world, id: "pouch").text.contains("7001")) }
        #expect(world.old.names.count == 1)
        world.advance(seconds: 31)
        _ = try await ask(world, id: "pouch")
        #expect(world.old.names.count == 2)
        try await write(world.old, "c", #"{"lastSequence":"7001"}"#)
        #expect(try await ask(world).text.contains("7001"))
        try await write(world.old, "c", #"{"lastSequence":"7002","_rev":"0-1"}"#)
        #expect(try await ask(world).text.contains("7002"))
        await world.close()
    }

    @Test("A device that changes between the servers within seconds gets only the changes from the bridge")
    func hopping() async throws {
        let world = try await Repointing()
        let phone = try await Bridge()
        try await write(world.old, names(0..<10))
        try await world.pull()
        #expect(try await world.run(phone, with: world.old).offered == 10)
        for round in 1..<5 {
            try await write(world.old, ["d\(round)"], generation: 2)
            try await world.pull()
            #expect(try await world.run(phone, with: world.bridge).offered == 1, "round \(round)")
            #expect(try await world.run(phone, with: world.bridge).offered == 0, "round \(round)")
            // The old server cannot know positions in the bridge's feed, so the device starts from the beginning there.
            _ = try await world.run(phone, with: world.old)
            #expect(try await world.run(phone, with: world.bridge).offered == 0, "round \(round)")
        }
        #expect(try await ReplicationFixture.contents(phone) == ReplicationFixture.contents(world.old.bridge))
        await world.close()
    }

    @Test("While the upstream is down, a client without a checkpoint here gets 503 for a limited time; a client with one continues")
    func down() async throws {
        let world = try await Repointing()
        world.old.misbehave { _, _ in .status(503, "down") }
        #expect(try await ask(world).status == 503)
        _ = try await world.bridge.bridge.send(.put, "/db/_local/mine", json: #"{"lastSequence":"1"}"#)
        #expect(try await ask(world, id: "mine").status == 200)
        world.advance(seconds: 601)
        #expect(try await ask(world).status == 404)
        await world.close()
    }

    @Test(
        "A refusal of the upstream, or a body that is not a checkpoint, counts as a missing checkpoint",
        arguments: [(401, "{}"), (403, "{}"), (200, "[1]"), (200, "{}"), (302, "{}")])
    func refused(status: Int, body: String) async throws {
        let world = try await Repointing()
        world.old.misbehave { _, _ in .answer(status, body, ["Location": "http://127.0.0.1:1/"]) }
        #expect(try await ask(world).status == (status == 302 ? 503 : 404))
        await world.close()
    }

    private func ask(_ world: Repointing, id: String = "c", authorization: String? = nil) async throws -> Answer {
        var headers: HTTPFields = [:]
        headers[.authorization] = authorization
        return try await world.bridge.bridge.send(.get, "/db/_local/\(id)", headers: headers, upstream: world.upstream)
    }
}
