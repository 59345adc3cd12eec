import Access
import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

@testable import ModernServer

@Suite("A client writes documents that its pull has asked for", .timeLimit(.minutes(5)))
struct OvertakenPullTests {
    private static let version = "9@AAAAAAAAAAAAAAAAAAAAAA"

    /// Begins a pull, and returns the number of its first `changes` message, which has no reply yet.
    private static func ask(_ peer: TestPeer, _ subprotocol: Subprotocol) async throws -> UInt64 {
        await peer.configure { $0.answersChanges = false }
        if subprotocol == .v4 {
            try await VersionClient.begin(peer)
        } else {
            try await peer.ask("subChanges")
        }
        try await peer.wait { !$0.changes.isEmpty }
        return try #require(await peer.requests.first { $0.profile == "changes" }?.number)
    }

    @Test(
        "A revision that the client has replaced since it asked for it is obsolete: the client would take it for the newer one",
        arguments: [Subprotocol.v3, .v4])
    func replaced(_ subprotocol: Subprotocol) async throws {
        let bridge = try await TestBridge()
        let one = Requests.revision(1, 1)
        try await bridge.put("a", one, #"{"n":1}"#)
        try await bridge.put("b", one, #"{"n":1}"#)
        try await bridge.connect(subprotocol) { peer in
            let number = try await Self.ask(peer, subprotocol)
            let shown = try #require(await peer.changes.first?.rows.first?[2].string)
            let (revision, history) = subprotocol == .v4 ? (Self.version, shown) : (Requests.revision(2, 2), one)
            let properties = subprotocol == .v4 ? 0 : nil
            let reply = try await peer.ask(Requests.rev("a", revision, #"{"n":2}"#, history: history, collection: properties))
            #expect(reply.type == .reply)
            try await peer.answerChanges(number, "[[],[]]")
            try await peer.wait { $0.norevs.count + $0.revisions.count == 2 }
            #expect(await peer.norevs.map { [$0["id"], $0["error"]] } == [["a", "410"]])
            #expect(await peer.revisions.map(\.id) == ["b"])
        }
    }

    @Test("The winner is sent to a client that has written an earlier revision over the same connection")
    func winner() async throws {
        let bridge = try await TestBridge()
        let one = Requests.revision(1, 1), two = Requests.revision(2, 2), three = Requests.revision(3, 3)
        try await bridge.put("a", one, #"{"n":1}"#)
        try await bridge.connect { peer in
            try await peer.ask(Requests.rev("a", two, #"{"n":2}"#, history: one))
            try await bridge.put("a", three, #"{"n":3}"#, two, one)
            let number = try await Self.ask(peer, .v3)
            try await peer.answerChanges(number, "[[]]")
            try await peer.wait { $0.norevs.count + $0.revisions.count == 1 }
            #expect(await peer.revisions.map(\.text) == [#"{"n":3}"#])
        }
    }

    @Test("A client creates a document anew only after it has received the tombstone that it has asked for")
    func tombstone() async throws {
        var bridge = try await TestBridge()
        let one = Requests.revision(1, 1), two = Requests.revision(2, 2), other = Requests.revision(1, 9)
        try await bridge.put("a", one, "{}")
        try await bridge.put("a", two, "{}", one, isDeleted: true)
        try await bridge.connect { peer in
            try await peer.ask("subChanges")
            try await peer.wait { $0.revisions.count == 1 }
            // LiteCore 3.2.1 would keep the tombstone, although its document is the winner here.
            #expect(try await peer.ask(Requests.rev("a", other, "{}")).errorCode == 409)
            let child = try await peer.ask(Requests.rev("a", Requests.revision(3, 3), "{}", history: "\(two),\(one)"))
            #expect(child.type == .reply)
        }
        // Later the app has purged the tombstone.
        try await bridge.put("a", Requests.revision(4, 4), "{}", Requests.revision(3, 3), two, one, isDeleted: true)
        bridge.limits.timeToReceive = .zero
        try await bridge.connect { peer in
            try await peer.ask("subChanges")
            try await peer.wait { $0.revisions.count == 1 }
            #expect(try await peer.ask(Requests.rev("a", other, "{}")).type == .reply)
        }
    }

    @Test("A client that does not ask for the tombstone creates the document anew")
    func unaskedTombstone() async throws {
        let bridge = try await TestBridge()
        let one = Requests.revision(1, 1), two = Requests.revision(2, 2)
        try await bridge.put("a", one, "{}")
        try await bridge.put("a", two, "{}", one, isDeleted: true)
        try await bridge.connect { peer in
            let number = try await Self.ask(peer, .v3)
            try await peer.answerChanges(number, "[0]")
            #expect(try await peer.ask(Requests.rev("a", Requests.revision(1, 9), "{}")).type == .reply)
        }
    }

    @Test(
        "An upgraded client that leaves out its own tombstone gets both IDs; its unknown edit gets none, because it has to be a conflict first",
        arguments: [(["2-cc"], ["3-cc", "2-cc"]), (["3-cc"], []), (["3-dd"], [])])
    func tails(known: [String], tail: [String]) async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", "{}")
        _ = try await bridge.version(of: "a")
        try await bridge.connect(.v4) { peer in
            try await VersionClient.pull(peer)
            let refused = try await peer.ask(
                Requests.rev("a", Self.version, "{}", history: "3-cc,2-cc", deleted: true, collection: 0))
            #expect(refused.errorCode == 409)
        }
        try await bridge.put("a", "2-bb", "{}", "1-aa")
        #expect(try await bridge.version(of: "a", known: known).legacy.map(\.text) == tail)
    }

    @Test("A revision is held back while the client's edit of its document is on the way")
    func requested() async throws {
        let bridge = try await TestBridge()
        for id in ["a", "b"] { try await bridge.put(id, "1-aa", #"{"n":1}"#) }
        try await bridge.connect(.v4) { peer in
            let number = try await Self.ask(peer, .v4)
            let proposal = try await peer.ask(
                "proposeChanges", ["collection": "0"], #"[["a","\#(Self.version)","1-aa"]]"#)
            #expect(proposal.body == Array("[]".utf8))
            try await peer.answerChanges(number, #"[["1-aa"],["1-aa"]]"#)
            try await peer.wait { $0.revisions.map(\.id) == ["b"] }
            #expect(try await peer.ask(Requests.rev("a", Self.version, "{}", history: "1-aa", collection: 0)).type == .reply)
            try await peer.wait { $0.norevs.count == 1 }
            #expect(await peer.norevs.map { [$0["id"], $0["error"]] } == [["a", "410"]])
            #expect(await peer.revisions.map(\.id) == ["b"])
        }
    }

    @Test("A requested revision that never comes holds nothing back for long")
    func neverSent() async throws {
        var bridge = try await TestBridge()
        bridge.limits.timeToPush = .milliseconds(1)
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.connect(.v4) { peer in
            let number = try await Self.ask(peer, .v4)
            try await peer.ask("proposeChanges", ["collection": "0"], #"[["a","\#(Self.version)","1-aa"]]"#)
            try await peer.answerChanges(number, "[[]]")
            try await peer.wait { $0.revisions.map(\.id) == ["a"] }
        }
    }

    @Test("A revision that the client could not store is not on its way any more")
    func refused() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.connect(.v4) { peer in
            await peer.configure {
                $0.known["0/a"] = ["1-aa"]
                $0.answersRevisions = false
            }
            try await VersionClient.begin(peer)
            try await peer.wait { $0.revisions.count == 1 }
            let edit = Requests.rev("a", Self.version, "{}", history: "1-aa", collection: 0)
            #expect(try await peer.ask(edit).errorCode == 409)
            let number = try #require(await peer.requests.last { $0.profile == "rev" }?.number)
            try await peer.answer(.error(to: number, code: 500, message: "disk full"))
            #expect(try await peer.ask(edit).type == .reply)
        }
    }

    @Test("A connection that has sent too many documents to know them all counts each other one as perhaps sent")
    func forgotten() {
        var sent = RecentRevisions()
        #expect(sent.receipt(of: "x", within: .seconds(60)) == .nothing)
        for number in 0..<(2 * RecentRevisions.limit) { sent.record("1-aa", of: "doc\(number)") }
        #expect(sent.receipt(of: "x", within: .seconds(60)) == .unknown && sent.receipt(of: "doc0", within: .seconds(60)) == .unknown)
        #expect(sent.receipt(of: "doc\(2 * RecentRevisions.limit - 1)", within: .seconds(60)) == (RevisionID("1-aa").map { .revision($0) }))
    }

    @Test("Edits of an upgraded client in quick succession are no conflict with the versions that others got of its former revision")
    func quickEdits() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        let seen = try await bridge.version(of: "a", client: "6c136eb3-1627-4120-a289-97cadcdc6d48")
        try await bridge.connect(.v4) { peer in
            try await peer.ask("getCollections", ["uuid": VersionClient.uuid], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
            for version in ["9@AAAAAAAAAAAAAAAAAAAAAA", "a@AAAAAAAAAAAAAAAAAAAAAA"] {
                #expect(try await peer.ask(Requests.rev("a", version, "{}", history: "1-aa", collection: 0)).type == .reply)
            }
        }
        let now = try await bridge.version(of: "a", client: "6c136eb3-1627-4120-a289-97cadcdc6d48")
        #expect(now.vector.current.description == "a@AAAAAAAAAAAAAAAAAAAAAA" && now.vector.contains(seen.vector.current))
    }

    @Test("An edit that crosses with the version of the revision that it follows is a conflict, which the client resolves")
    func crossing() async throws {
        let bridge = try await TestBridge()
        try await bridge.put("a", "1-aa", #"{"n":1}"#)
        try await bridge.connect(.v4) { peer in
            await peer.configure { $0.known["0/a"] = ["1-aa"] }
            try await VersionClient.pull(peer)
            let seen = try #require(await peer.revisions.first?.revision)
            let edit = Requests.rev("a", Self.version, "{}", history: "1-aa", collection: 0)
            #expect(try await peer.ask(edit).errorCode == 409)
            let resolved = Requests.rev("a", "a@AAAAAAAAAAAAAAAAAAAAAA", "{}", history: "\(seen),\(Self.version);1-aa", collection: 0)
            #expect(try await peer.ask(resolved).type == .reply)
        }
    }

    @Test("A document that has left the user's channels since the user's edit is removed from the client")
    func departed() async throws {
        let bridge = try await TestBridge()
        var change = AccountChange()
        change.channels = ["c", "d"]
        try await Accounts(bridge.store).put(.user("anna"), change)
        let (one, two, three) = (Requests.revision(1, 1), Requests.revision(2, 2), Requests.revision(3, 3))
        try await bridge.connect(.v2, as: .user("anna")) { peer in
            #expect(try await peer.ask(Requests.rev("doc", one, #"{"channels":["c"]}"#)).type == .reply)
            let since = String(try await bridge.database.unified.lastSequence().value)
            try await bridge.put("doc", two, #"{"channels":["x"],"secret":1}"#, one)
            try await bridge.put("doc", three, #"{"channels":["d"]}"#, two, one)
            try await peer.ask("subChanges", ["since": since, "filter": "sync_gateway/bychannel", "channels": "c"])
            try await peer.wait { $0.norevs.count + $0.revisions.count == 1 }
            #expect(await peer.norevs.isEmpty)
            #expect(await peer.revisions.map(\.text) == [#"{"_removed":true}"#])
        }
    }
}
