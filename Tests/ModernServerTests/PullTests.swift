import Access
import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

@Suite("Pulling from the listener", .timeLimit(.minutes(5)))
struct PullTests {
    private static func write(
        _ bridge: TestBridge, _ id: String, _ history: [String], _ body: String = "{}", deleted: Bool = false
    ) async throws {
        let history = history.compactMap { RevisionID($0) }
        _ = try await bridge.database.unified.write(
            RevisionWrite(id: id, kind: .replicated(history: history, conflicts: .branch), isDeleted: deleted, body: Array(body.utf8)))
    }

    /// Pulls until the caught-up marker and every requested revision have arrived.
    private static func pull(_ peer: TestPeer, _ properties: BLIPProperties = [:], _ body: String = "") async throws {
        let reply = try await peer.ask("subChanges", properties, body)
        try #require(reply.type == .reply, "\(reply.errorMessage ?? "")")
        try await peer.wait { $0.caughtUp == 1 && $0.revisions.count + $0.norevs.count >= $0.wanted }
    }

    @Test("Documents arrive with unchanged bodies, and rows in the order of sequences")
    func pulls() async throws {
        let bridge = try await TestBridge()
        try await Self.write(bridge, "a", ["1-aaaa"], #"{"n":1.0,"e":1e400}"#)
        try await Self.write(bridge, "b", ["2-bbbb", "1-aaaa"], #"{ "x" : "é" }"#)
        try await bridge.connect { peer in
            try await Self.pull(peer, ["batch": "200"])
            let revisions = await peer.revisions
            #expect(revisions.map(\.id) == ["a", "b"])
            #expect(revisions.map(\.text) == [#"{"n":1.0,"e":1e400}"#, #"{ "x" : "é" }"#])
            #expect(revisions.allSatisfy { $0.noReply })
            #expect(revisions[1].properties["history"] == "1-aaaa" && revisions[0].properties["history"] == nil)
            let rows = await peer.changes[0].rows
            #expect(rows.map(\.count) == [3, 3])
            #expect(rows.map { $0[0].int.map(String.init) } == revisions.map { $0.properties["sequence"] })
        }
    }

    @Test("activeOnly omits documents that were deleted before the pull began, and no later deletions")
    func activeOnly() async throws {
        let bridge = try await TestBridge()
        try await Self.write(bridge, "gone", ["2-aaaa", "1-aaaa"], deleted: true)
        for number in 0..<30 { try await Self.write(bridge, "d\(number)", ["1-aaaa"]) }
        try await bridge.connect { peer in
            await peer.configure { $0.answersChanges = false }
            try await peer.ask("subChanges", ["activeOnly": "true", "continuous": "true", "batch": "10", "revocations": "true"])
            // Three messages wait for replies; meanwhile a document that one of them announces is deleted.
            try await peer.wait { $0.changes.count == 3 && $0.caughtUp == 0 || $0.caughtUp == 1 }
            try await Self.write(bridge, "d0", ["2-aaaa", "1-aaaa"], deleted: true)
            try await peer.wait { $0.caughtUp == 1 || $0.changes.count == 3 }
            await peer.configure { $0.answersChanges = true }
            for request in await peer.requests where request.profile == "changes" && !request.noReply {
                try await peer.answerChanges(request.number, "[]")
            }
            try await peer.wait { $0.changes.flatMap(\.rows).contains { $0[1].string == "d0" && $0[2].string == "2-aaaa" } }
            try await peer.wait { $0.caughtUp == 1 }
            try await Self.write(bridge, "d1", ["2-aaaa", "1-aaaa"], deleted: true)
            try await peer.wait { $0.changes.flatMap(\.rows).contains { $0[1].string == "d1" && $0[2].string == "2-aaaa" } }
            #expect(await peer.changes.flatMap(\.rows).allSatisfy { $0[1].string != "gone" })
        }
    }

    @Test("A tombstone's row ends in flags, or in true for version 2, and activeOnly omits it")
    func marksTombstones() async throws {
        let bridge = try await TestBridge()
        try await Self.write(bridge, "a", ["2-aaaa", "1-aaaa"], deleted: true)
        try await bridge.connect { peer in
            try await Self.pull(peer)
            #expect(await peer.changes[0].rows[0][3] == .number("1"))
            #expect(await peer.revisions[0].properties["deleted"] == "1")
        }
        try await bridge.connect(.v2) { peer in
            try await Self.pull(peer)
            #expect(await peer.changes[0].rows[0][3] == .bool(true))
        }
        try await bridge.connect { peer in
            try await Self.pull(peer, ["activeOnly": "true"])
            #expect(await peer.changes.isEmpty)
        }
    }

    @Test("A pull continues after since, and revisions that the client has are not sent")
    func goesOn() async throws {
        let bridge = try await TestBridge()
        for index in 0..<5 { try await Self.write(bridge, "d\(index)", ["1-aaaa"]) }
        try await bridge.connect { peer in
            await peer.configure { $0.known["/d4"] = ["1-aaaa"] }
            let since = SequenceNumber.newOrigin.value + 3
            try await Self.pull(peer, ["since": String(since)])
            #expect(await peer.changes.flatMap(\.rows).map { $0[1].string } == ["d3", "d4"])
            #expect(await peer.revisions.map(\.id) == ["d3"])
        }
    }

    @Test("Batches have the requested size, and all revisions arrive", arguments: [10, 200])
    func batches(size: Int) async throws {
        let bridge = try await TestBridge()
        for index in 0..<450 { try await Self.write(bridge, "d\(index)", ["1-aaaa"]) }
        try await bridge.connect { peer in
            try await Self.pull(peer, ["batch": String(size)])
            let counts = await peer.changes.map(\.rows.count)
            #expect(counts == Array(repeating: size, count: 450 / size) + (450 % size == 0 ? [] : [450 % size]))
            #expect(await Set(peer.revisions.map(\.id)).count == 450)
        }
    }

    @Test("The caught-up marker does not overtake a changes message of several frames", arguments: [true, false])
    func endsLast(isDeleted: Bool) async throws {
        let bridge = try await TestBridge()
        let name = String(repeating: "x", count: 150)
        for index in 0..<450 {
            try await Self.write(bridge, "\(name)\(index)", isDeleted ? ["2-bbbb", "1-aaaa"] : ["1-aaaa"], deleted: isDeleted)
        }
        try await bridge.connect { peer in
            try await Self.pull(peer, ["batch": "200"])
            #expect(await peer.changes.map(\.rows.count) == [200, 200, 50])
            #expect(await peer.revisions.count == 450)
        }
    }

    @Test("At most eight changes messages are without a reply")
    func boundsChanges() async throws {
        let bridge = try await TestBridge()
        for index in 0..<100 { try await Self.write(bridge, "d\(index)", ["1-aaaa"]) }
        try await bridge.connect { peer in
            await peer.configure { $0.answersChanges = false }
            try await peer.ask("subChanges", ["batch": "10"])
            try await peer.wait { $0.changes.count == 8 }
            // The reply to this request comes after everything that would have been sent meanwhile.
            try await peer.ask("getCheckpoint", ["client": "x"])
            #expect(await peer.changes.count == 8)
        }
    }

    @Test("A continuous pull receives later commits, after one caught-up marker")
    func follows() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            try await peer.ask("subChanges", ["continuous": "true"])
            try await peer.wait { $0.caughtUp == 1 }
            for index in 0..<20 {
                try await Self.write(bridge, "d\(index)", ["1-aaaa"])
                try await peer.wait { $0.revisions.count == index + 1 }
            }
            #expect(await peer.caughtUp == 1)
            #expect(await peer.revisions.map(\.id) == (0..<20).map { "d\($0)" })
        }
    }

    @Test("A client that wants future changes alone gets no others, whatever its since", arguments: ["true", "1", "YES"])
    func future(spelling: String) async throws {
        let bridge = try await TestBridge()
        try await Self.write(bridge, "old", ["1-aaaa"])
        try await bridge.connect { peer in
            try await peer.ask("subChanges", ["continuous": "true", "future": spelling, "since": "0"])
            try await peer.wait { $0.caughtUp == 1 }
            #expect(await peer.changes.isEmpty)
            try await Self.write(bridge, "new", ["1-aaaa"])
            try await peer.wait { $0.revisions.count == 1 }
            #expect(await peer.revisions.map(\.id) == ["new"])
        }
    }

    @Test("A pull of named documents gets no others, also if it is continuous")
    func filtersDocuments() async throws {
        let bridge = try await TestBridge()
        for index in 0..<30 { try await Self.write(bridge, "d\(index)", ["1-aaaa"]) }
        try await bridge.connect { peer in
            try await Self.pull(peer, ["continuous": "true"], #"{"docIDs":["d3","d33","d7"]}"#)
            try await Self.write(bridge, "d31", ["1-aaaa"])
            try await Self.write(bridge, "d33", ["1-aaaa"])
            try await peer.wait { $0.revisions.count == 3 }
            #expect(await peer.revisions.map(\.id) == ["d3", "d7", "d33"])
        }
    }

    @Test("A pull gets both of two documents whose IDs differ only in Unicode normalisation")
    func filtersEquivalentDocuments() async throws {
        let bridge = try await TestBridge()
        for id in ["caf\u{e9}", "cafe\u{301}", "cafe"] { try await Self.write(bridge, id, ["1-aaaa"]) }
        try await bridge.connect { peer in
            try await Self.pull(peer, [:], #"{"docIDs":["caf\u00e9","cafe\u0301"]}"#)
            #expect(await peer.revisions.map { Array($0.id.utf8) } == ["caf\u{e9}", "cafe\u{301}"].map { Array($0.utf8) })
        }
    }

    @Test("unsubChanges ends the feed, and another may begin; two at a time are refused")
    func unsubscribes() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            try await peer.ask("subChanges", ["continuous": "true"])
            // 400 would stop clients since 3.1 for good.
            let second = try await peer.ask("subChanges", ["continuous": "true"])
            #expect(second.errorDomain == "HTTP" && second.errorCode == 500)
            try await peer.ask("unsubChanges")
            let third = try await peer.ask("subChanges", ["continuous": "true"])
            #expect(third.type == .reply)
            try await Self.write(bridge, "a", ["1-aaaa"])
            try await peer.wait { $0.revisions.count == 1 }
            #expect(await peer.changes.count == 1)
        }
    }

    @Test(
        "Malformed subChanges requests are refused",
        arguments: [
            (["since": "x"], "", 400), (["since": "1:2:3:4"], "", 400), (["batch": "many"], "", 400), (["filter": "app/mine"], "", 400),
            (["filter": "sync_gateway/bychannel"], "", 400),
            ([:], "{\"docIDs\":1}", 400), ([:], "[", 400), (["collection": "0"], "", 400),
        ] as [([String: String], String, Int)])
    func refuses(properties: [String: String], body: String, code: Int) async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            var list = BLIPProperties()
            for (key, value) in properties { list.add(key, value) }
            let reply = try await peer.ask("subChanges", list, body)
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == code)
        }
    }

    @Test("A foreign revision is sent under its alias, and so is its history")
    func aliases() async throws {
        let bridge = try await TestBridge()
        try await Self.write(bridge, "a", ["2-xyz", "1-abc"])
        try await bridge.connect { peer in
            try await Self.pull(peer)
            let alias = RevisionID("2-xyz")?.modernAlias.text
            #expect(await peer.changes[0].rows[0][2].string == alias)
            #expect(await peer.revisions[0].revision == alias)
            #expect(await peer.revisions[0].properties["history"] == RevisionID("1-abc")?.modernAlias.text)
        }
    }

    @Test("Documents whose IDs 2.x+ clients do not accept are omitted")
    func leavesOut() async throws {
        let bridge = try await TestBridge()
        let long = String(repeating: "x", count: 250)
        try await Self.write(bridge, long, ["1-aaaa"])
        try await Self.write(bridge, "ok", ["1-aaaa"])
        try await bridge.connect { peer in
            try await Self.pull(peer)
            #expect(await peer.changes.flatMap(\.rows).compactMap { $0[1].string } == ["ok"])
        }
    }

    @Test("A history ends at a revision that the client has, or at the requested length")
    func limitsHistory() async throws {
        let bridge = try await TestBridge()
        let history = (1...30).reversed().map { Requests.revision($0, $0) }
        try await Self.write(bridge, "a", history)
        try await bridge.connect { peer in
            await peer.configure { peer in
                peer.known["/a"] = [Requests.revision(28, 28), Requests.revision(27, 27)]
            }
            try await Self.pull(peer)
            #expect(await peer.revisions[0].properties["history"] == [29, 28].map { Requests.revision($0, $0) }.joined(separator: ","))
        }
        try await bridge.connect { peer in
            await peer.configure { $0.maxHistory = "20" }
            try await Self.pull(peer)
            #expect(await peer.revisions[0].properties["history"]?.split(separator: ",").count == 19)
        }
    }

    @Test("A revision that is gone gets norev, or is replaced if the client allows it", arguments: [false, true])
    func replaces(allows: Bool) async throws {
        let bridge = try await TestBridge()
        try await Self.write(bridge, "a", ["1-aaaa"], "{\"n\":1}")
        try await bridge.connect { peer in
            await peer.configure { $0.answersChanges = false }
            try await peer.ask("subChanges", allows ? ["sendReplacementRevs": "1"] : [:])
            try await peer.wait { !$0.changes.isEmpty }
            for generation in 2...9 {
                try await Self.write(bridge, "a", [generation, generation - 1].map { "\($0)-aaaa" }, "{\"n\":\(generation)}")
            }
            let number = try #require(await peer.requests.first { $0.profile == "changes" }?.number)
            try await peer.answerChanges(number, "[[]]")
            try await peer.wait { $0.norevs.count + $0.revisions.count == 1 }
            let sequence = String(SequenceNumber.newOrigin.value + 1)
            if allows {
                let revision = await peer.revisions[0]
                #expect(revision.revision == "9-aaaa" && revision.text == "{\"n\":9}")
                #expect(revision.properties["replacedRev"] == "1-aaaa" && revision.properties["sequence"] == sequence)
            } else {
                let norev = await peer.norevs[0]
                #expect(norev["error"] == "404" && norev["rev"] == "1-aaaa" && norev["sequence"] == sequence)
            }
        }
    }

    @Test("A client that asks for the revisions of removal rows gets a message for each")
    func answersLosses() async throws {
        let bridge = try await TestBridge()
        func grant(_ channels: Set<String>) async throws {
            var change = AccountChange()
            change.channels = channels
            try await Accounts(bridge.store).put(.user("anna"), change)
        }
        try await bridge.store.write { try $0.recordReader() }
        try await grant(["c", "d"])
        for id in ["kept", "left"] { try await Self.write(bridge, id, ["1-aaaa"], #"{"channels":["c","d"]}"#) }
        try await Self.write(bridge, "left", ["2-aaaa", "1-aaaa"], #"{"channels":["x"],"secret":1}"#)
        try await grant(["d"])
        try await bridge.connect(as: .user("anna")) { peer in
            await peer.configure { $0.answersChanges = false }
            try await peer.ask("subChanges", ["revocations": "true"])
            try await peer.wait { !$0.changes.isEmpty }
            let rows = await peer.changes[0].rows
            try #require(rows.map { $0[1].string } == ["kept", "left", "left"])
            let number = try #require(await peer.requests.first { $0.profile == "changes" }?.number)
            try await peer.answerChanges(number, "[[],[],[]]")
            try await peer.wait { $0.norevs.count + $0.revisions.count == rows.count }
            #expect(await peer.revisions.filter { $0.id != "kept" }.allSatisfy { $0.text == #"{"_removed":true}"# })
        }
    }

    @Test(
        "A 2.x client that asks for channels gets a removal of a document that has left them, although the user sees it by another channel")
    func answersDepartures() async throws {
        let bridge = try await TestBridge()
        var change = AccountChange()
        change.channels = ["c", "d"]
        try await Accounts(bridge.store).put(.user("anna"), change)
        try await Self.write(bridge, "doc", ["1-aaaa"], #"{"channels":["c"]}"#)
        let since = String(try await bridge.database.unified.lastSequence().value)
        try await Self.write(bridge, "doc", ["2-aaaa", "1-aaaa"], #"{"channels":["x"],"secret":1}"#)
        try await Self.write(bridge, "doc", ["3-aaaa", "2-aaaa", "1-aaaa"], #"{"channels":["d"]}"#)
        try await bridge.connect(.v2, as: .user("anna")) { peer in
            try await peer.ask("subChanges", ["since": since, "filter": "sync_gateway/bychannel", "channels": "c"])
            try await peer.wait { $0.norevs.count + $0.revisions.count == 1 }
            let revision = try #require(await peer.revisions.first)
            #expect(revision.revision == "2-aaaa" && revision.text == #"{"_removed":true}"#)
        }
    }

    @Test("A failing store drops the connection, so that the client reconnects")
    func dropsOnFailure() async throws {
        struct DiskFull: Error {}
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            try await peer.ask("subChanges", ["continuous": "true"])
            try await peer.wait { $0.caughtUp == 1 }
            try await Self.write(bridge, "a", ["1-aaaa"])
            bridge.store.fail(with: DiskFull())
            await peer.waitUntilOver()
            #expect(await peer.socket.closeCode == nil)
        }
    }
}
