import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import TestSupport
import Testing

@Suite("Rows that a 4.x client has passed without their revisions", .timeLimit(.minutes(5)))
struct PassedRowTests {
    private static let own = "9@AAAAAAAAAAAAAAAAAAAAAA"

    private func subscribe(
        _ peer: TestPeer, to bridge: TestBridge, isFirst: Bool = false, isContinuous: Bool = false
    ) async throws {
        try await peer.ask(
            "getCollections", ["uuid": VersionClient.uuid], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
        var properties: BLIPProperties = ["collection": "0", "versioning": "version-vectors", "sendReplacementRevs": "1"]
        if isFirst {
            properties.add("activeOnly", "true")
        } else {
            properties.add("since", "\(try await bridge.database.unified.lastSequence())")
        }
        if isContinuous { properties.add("continuous", "true") }
        try await peer.ask("subChanges", properties)
        try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == $0.wanted }
    }

    /// A document that was deleted, whose tombstone is known to a 4.x client, before a document that exists.
    private func bridge() async throws -> TestBridge {
        let bridge = try await TestBridge()
        try await bridge.put("gone", "1-aa", "{}")
        try await bridge.put("gone", "2-bb", "{}", "1-aa", isDeleted: true)
        try await bridge.put("later", "1-cc", "{}")
        try await bridge.database.unified.showVersions()
        return bridge
    }

    @Test(
        "A client that creates a document whose tombstone its first pull left out gets the tombstone after the conflict",
        arguments: [true, false])
    func leftOut(isContinuous: Bool) async throws {
        let bridge = try await bridge()
        try await bridge.connect(.v4) { peer in
            try await subscribe(peer, to: bridge, isFirst: true, isContinuous: isContinuous)
            #expect(await peer.revisions.map(\.id) == ["later"])
            #expect(try await peer.ask(Requests.rev("gone", Self.own, "{}", collection: 0)).errorCode == 409)
            guard isContinuous else { return }
            try await peer.wait { $0.revisions.count == 2 }
            #expect(await peer.revisions.last.map { [$0.id, $0.properties["deleted"]] } == ["gone", "1"])
        }
        for number in 0..<2 {
            try await bridge.connect(.v4) { peer in
                try await subscribe(peer, to: bridge)
                #expect(await peer.revisions.map(\.id) == (isContinuous || number == 1 ? [] : ["gone"]))
            }
        }
    }

    @Test("A document that arrived over this connection is not sent again after a conflict")
    func arrived() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", "{}")
        try await bridge.connect(.v4) { peer in
            try await subscribe(peer, to: bridge, isFirst: true, isContinuous: true)
            #expect(await peer.revisions.map(\.id) == ["a"])
            let proposal = try await peer.ask("proposeChanges", ["collection": "0"], #"[["a","\#(Self.own)","7@BAAAAAAAAAAAAAAAAAAAAA"]]"#)
            #expect(String(decoding: proposal.body, as: UTF8.self) != "[]")
            try await bridge.put("b", "1-bb", "{}")
            try await peer.wait { $0.revisions.count == 2 }
            #expect(await peer.revisions.map(\.id) == ["a", "b"])
            #expect(await peer.changes.count == 2)
        }
    }

    @Test("A row that the client could not read, also alone, comes again with its next pull, until it can")
    func unreadable() async throws {
        let bridge = try await TestBridge()
        for id in ["a", "b", "c"] { try await bridge.put(id, "1-aa", "{}") }
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.answersChanges = false }
            try await VersionClient.begin(peer)
            try await peer.wait { $0.changes.count == 1 }
            try await VersionClient.refuse(peer, 1)
            try await peer.wait { $0.changes.count == 4 }
            let numbers = await peer.requests.filter { $0.profile == "changes" }.map(\.number)
            try await VersionClient.refuse(peer, numbers[2])
            for number in [numbers[1], numbers[3]] { try await peer.answerChanges(number, "[[]]") }
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 2 }
            await eventually { (try? await bridge.database.unified.contested(by: "cp").map(\.string)) == ["b"] }
        }
        // It still cannot.
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.answersChanges = false }
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
            let end = "\(try await bridge.database.unified.lastSequence())"
            try await peer.ask("subChanges", ["collection": "0", "versioning": "version-vectors", "since": end])
            try await peer.wait { $0.changes.count == 1 }
            let number = try #require(await peer.requests.last { $0.profile == "changes" }?.number)
            try await VersionClient.refuse(peer, number)
            try await peer.wait { $0.caughtUp == 1 }
        }
        for number in 0..<2 {
            try await bridge.connect(.v4) { peer in
                try await subscribe(peer, to: bridge)
                #expect(await peer.revisions.map(\.id) == (number == 0 ? ["b"] : []))
            }
            if number == 0 { await eventually { (try? await bridge.database.unified.contested(by: "cp").isEmpty) == true } }
        }
    }
}
