import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import TestSupport
import Testing

@Suite("Conflicting edits of a document that was moved away", .timeLimit(.minutes(5)))
struct MovedConflictTests {
    private static let orders = CollectionName(scope: "sales", name: "orders")

    /// A document that a client has in the default collection, and that another client has edited.
    private func bridge(isMoved: Bool = true) async throws -> TestBridge {
        let bridge = try await TestBridge {
            $0.defaultCollection = .remainder
            $0.routes = [Route(to: Self.orders, when: .property(name: "type", equals: .string("order")))]
        }
        try await bridge.put("a", "1-aa", "{}")
        try await bridge.put("a", "2-bb", #"{"type":"order"}"#, "1-aa")
        if isMoved { try await move(bridge) }
        try await bridge.put("a", "3-cc", #"{"type":"order","n":3}"#, "2-bb", "1-aa")
        return bridge
    }

    private func move(_ bridge: TestBridge) async throws {
        let run = try await bridge.database.beginMoves(fingerprint: bridge.database.routesFingerprint)
        var steps = bridge.database.moveSteps(of: run)
        while try await steps.next(limit: 10) != nil {}
    }

    private func open(_ peer: TestPeer, _ checkpoint: String = "cp") async throws {
        try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["\#(checkpoint)"],"collections":["_default"]}"#)
    }

    private func propose(_ peer: TestPeer, _ revision: String, after parent: String) async throws -> String {
        let reply = try await peer.ask(
            "proposeChanges", ["collection": "0", "conflictIncludesRev": "true"], #"[["a","\#(revision)","\#(parent)"]]"#)
        return String(decoding: reply.body, as: UTF8.self)
    }

    private func subscribe(_ peer: TestPeer, since: FeedPosition, isContinuous: Bool) async throws {
        try await peer.ask(
            "subChanges",
            ["collection": "0", "batch": "200", "since": since.description, "continuous": isContinuous ? "true" : "false"])
    }

    private func end(of bridge: TestBridge) async throws -> FeedPosition { FeedPosition(try await bridge.database.unified.lastSequence()) }

    /// Pushes the client's resolution of the conflict, and expects it where the document is now.
    private func resolve(_ peer: TestPeer, _ bridge: TestBridge) async throws {
        let arrived = try #require(await peer.revisions.last)
        #expect(arrived.id == "a" && arrived.revision == "3-cc" && arrived.text == #"{"type":"order","n":3}"#)
        #expect(arrived.properties["sequence"] == (try await end(of: bridge)).description)
        #expect(try await propose(peer, "4-dd", after: "3-cc") == "[]")
        let body = #"{"type":"order","n":"both"}"#
        #expect(try await peer.ask(Requests.rev("a", "4-dd", body, history: "3-cc,2-bb,1-aa", collection: 0)).type == .reply)
        let winner = try await bridge.database.keyspace(Self.orders)?.read { try $0.document("a")?.winner.text }
        #expect(winner == "4-dd")
    }

    /// Pulls over a new connection, and expects the revision that conflicts with the client's edit.
    private func pullAndResolve(_ bridge: TestBridge, since: FeedPosition, then last: @Sendable () async throws -> Void = {}) async throws {
        try await bridge.connect { peer in
            try await open(peer)
            await peer.configure { $0.known["0/a"] = ["3-dd", "2-bb", "1-aa"] }
            try await subscribe(peer, since: since, isContinuous: false)
            try await peer.wait { $0.revisions.count == 1 }
            try await resolve(peer, bridge)
            try await last()
        }
    }

    @Test(
        "A revision from before the upgrade to versions is sent from the document's present collection", arguments: [true, false])
    func upgraded(isContinuous: Bool) async throws {
        let bridge = try await bridge()
        let names = #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], names)
            await peer.configure { $0.known["0/a"] = ["4-dd", "3-cc"] }
            let asked: BLIPProperties = ["collection": "0", "versioning": "version-vectors", "continuous": isContinuous ? "true" : "false"]
            try await peer.ask("subChanges", asked)
            try await peer.wait { $0.caughtUp == 1 }
            let edit = Requests.rev("a", "4-dd", #"{"type":"order","n":4}"#, history: "3-cc,2-bb,1-aa", collection: 0)
            #expect(try await peer.ask(edit).errorCode == 409)
            // The feed of the collection does not have it.
            if !isContinuous { try await peer.ask("subChanges", asked) }
            try await peer.wait { $0.revisions.contains { $0.id == "a" && $0.properties["history"] == "4-dd" } }
        }
        let winner = try await bridge.database.keyspace(Self.orders)?.read { try $0.document("a")?.winner.text }
        #expect(winner == "4-dd")
    }

    @Test(
        "A client that pulls after a refused edit gets the conflicting revision, which the feed no longer has", arguments: [true, false])
    func pulling(isContinuous: Bool) async throws {
        let bridge = try await bridge()
        let since = try await end(of: bridge)
        try await bridge.connect { peer in
            try await open(peer)
            #expect(try await propose(peer, "3-dd", after: "2-bb") == #"[{"status":409,"rev":"3-cc"}]"#)
            await peer.configure { $0.known["0/a"] = ["3-dd", "2-bb", "1-aa"] }
            try await subscribe(peer, since: since, isContinuous: isContinuous)
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 1 }
            #expect(await peer.changes.map { $0.rows.count } == [1])
            try await resolve(peer, bridge)
        }
    }

    @Test("A client with a continuous pull gets the conflicting revision before the refusal")
    func pulled() async throws {
        let bridge = try await bridge()
        let since = try await end(of: bridge)
        try await bridge.connect { peer in
            try await open(peer)
            await peer.configure { $0.known["0/a"] = ["3-dd", "2-bb", "1-aa"] }
            try await subscribe(peer, since: since, isContinuous: true)
            try await peer.wait { $0.caughtUp == 1 }
            #expect(await peer.changes.isEmpty)
            #expect(try await propose(peer, "3-dd", after: "2-bb") == #"[{"status":409,"rev":"3-cc"}]"#)
            #expect(await peer.changes.count == 1)
            try await peer.wait { $0.revisions.count == 1 }
            try await resolve(peer, bridge)
        }
    }

    @Test(
        "A client whose pull has ended gets the conflicting revision by its next pull, because messages after the end crash it",
        arguments: [true, false])
    func ended(isSameConnection: Bool) async throws {
        let bridge = try await bridge()
        let since = try await end(of: bridge)
        try await bridge.connect { peer in
            try await open(peer)
            await peer.configure { $0.known["0/a"] = ["3-dd", "2-bb", "1-aa"] }
            try await subscribe(peer, since: since, isContinuous: false)
            try await peer.wait { $0.caughtUp == 1 }
            #expect(try await propose(peer, "3-dd", after: "2-bb") == #"[{"status":409,"rev":"3-cc"}]"#)
            #expect(await peer.changes.isEmpty)
            guard isSameConnection else { return }
            try await subscribe(peer, since: since, isContinuous: false)
            try await peer.wait { $0.caughtUp == 2 && $0.revisions.count == 1 }
            try await resolve(peer, bridge)
        }
        if !isSameConnection { try await pullAndResolve(bridge, since: since) }
    }

    @Test("A revision that is refused after it was sent counts as a refused proposal does")
    func refusedRevision() async throws {
        let bridge = try await bridge()
        let since = try await end(of: bridge)
        try await bridge.connect { peer in
            try await open(peer)
            let reply = try await peer.ask(Requests.rev("a", "3-dd", "{}", history: "2-bb,1-aa", collection: 0))
            #expect(reply.type == .error && reply.errorCode == 409)
        }
        try await pullAndResolve(bridge, since: since)
    }

    @Test("The conflicting revision is sent only to a client that pulls, and only to the refused one")
    func others() async throws {
        let bridge = try await bridge()
        let since = try await end(of: bridge)
        try await bridge.connect { peer in
            try await open(peer)
            _ = try await propose(peer, "3-dd", after: "2-bb")
            try await subscribe(peer, since: since, isContinuous: true)
            try await peer.wait { $0.caughtUp == 1 }
            #expect(await peer.changes.count == 1)
            try await peer.ask("unsubChanges", ["collection": "0"])
            _ = try await propose(peer, "3-dd", after: "2-bb")
            #expect(await peer.changes.count == 1)
            try await bridge.connect { other in
                try await open(other, "cp-other")
                try await subscribe(other, since: .zero, isContinuous: false)
                try await other.wait { $0.caughtUp == 1 }
                #expect(await other.changes.isEmpty)
            }
        }
    }

    @Test(
        "A client that pushes and pulls over separate connections gets the conflicting revision with each pull until it has stored it",
        arguments: [true, false])
    func apart(isMovedBefore: Bool) async throws {
        let bridge = try await bridge(isMoved: isMovedBefore)
        let remainder = try #require(bridge.database.keyspace(.default))
        try await bridge.connect { peer in
            try await open(peer)
            #expect(try await propose(peer, "3-dd", after: "2-bb") == #"[{"status":409,"rev":"3-cc"}]"#)
        }
        #expect(try await remainder.contested(by: "cp") == ["a"])
        if !isMovedBefore { try await move(bridge) }
        let since = try await end(of: bridge)
        try await bridge.connect { peer in
            try await open(peer)
            await peer.configure { $0.answersChanges = false }
            try await subscribe(peer, since: since, isContinuous: false)
            try await peer.wait { $0.changes.count == 1 }
        }
        #expect(try await remainder.contested(by: "cp") == ["a"])
        try await pullAndResolve(bridge, since: since) {
            try await eventually { try await remainder.contested(by: "cp").isEmpty }
        }
        try await bridge.connect { peer in
            try await open(peer)
            try await subscribe(peer, since: since, isContinuous: false)
            try await peer.wait { $0.caughtUp == 1 }
            #expect(await peer.changes.isEmpty)
        }
    }

    @Test("A 4.x client gets the conflicting revision under a version")
    func versions() async throws {
        let bridge = try await bridge()
        let since = try await end(of: bridge)
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
            // The first time, the history has to be sent to show that the revision is no child.
            #expect(try await propose(peer, "9@AAAAAAAAAAAAAAAAAAAAAA", after: "") == "[]")
            let reply = try await peer.ask(Requests.rev("a", "9@AAAAAAAAAAAAAAAAAAAAAA", "{}", collection: 0))
            #expect(reply.errorCode == 409)
            try await subscribe(peer, since: since, isContinuous: false)
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 1 }
            #expect(Version(await peer.revisions[0].revision) != nil)
        }
    }

    @Test("The last tree ID of an upgraded client's copy is stored for that copy alone, wherever the document is now")
    func legacyTail() async throws {
        let bridge = try await bridge()
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.known["0/a"] = ["3-cc"] }
            try await peer.ask(
                "getCollections", ["uuid": VersionClient.uuid], #"{"checkpoint_ids":["cp","co"],"collections":["_default","sales.orders"]}"#
            )
            async let reply = propose(peer, "3-cc", after: "")
            // The pull that the reply waits for brings the revision, so LiteCore reports no conflict for a copy that it has not edited.
            let remainder = try #require(bridge.database.keyspace(.default))
            try await eventually { try await remainder.contested(by: "cp") == ["a"] }
            try await peer.ask("subChanges", ["collection": "0", "versioning": "version-vectors"])
            #expect(try await reply.contains("409"))
            #expect(await peer.caughtUp == 1)
            #expect(await peer.revisions.map(\.id) == ["a"])
            try await peer.ask("subChanges", ["collection": "1", "versioning": "version-vectors"])
            try await peer.wait { $0.caughtUp == 2 && $0.revisions.count == 2 }
            let revisions = await peer.revisions
            let old = try #require(revisions.first(where: { $0.properties["collection"] == "0" }))
            #expect(old.id == "a" && old.properties["history"] == "3-cc")
            let other = try #require(revisions.first(where: { $0.properties["collection"] == "1" }))
            #expect(other.id == "a" && other.properties["history"] == nil)
        }
    }
}
